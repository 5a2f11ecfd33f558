import { quote } from '../core/quote.ts'
import { editDistance } from '../core/suggest.ts'
import { type EmailRecord, hasArrived } from '../emails/email.ts'
import { pendingRecipients } from '../emails/events.ts'
import type { MissingFacts } from './missing-facts.ts'
import { causeWeights, type Evidence, weigh, timeText, type Weighed } from './missing-weights.ts'

/** The mails that are there. What became of each recipient says more than that it arrived. */
export function mailCauses({ mails, isWanted }: MissingFacts): Weighed[] {
  const groups = new Map<MailOutcome, Evidence[]>()
  const add = (key: MailOutcome, { id, created: time }: EmailRecord, text: string): void => {
    groups.set(key, [...(groups.get(key) ?? []), { id, time, text }])
  }
  for (const email of mails) {
    const pending = new Set(pendingRecipients(email))
    for (const { recipient, events } of email.recipients.filter((one) => isWanted(one.recipient))) {
      const last = events.findLast(({ status }) => status === 'bounced' || status === 'failed')
      if (last?.status === 'failed') add('failed', email, last.reason)
      else if (last?.status === 'bounced') {
        // `OnSuppressionList` is the list of SES, which only simulated events name. An event with a cause lists nothing.
        const isListed = last.subtype === 'OnAccountSuppressionList' && last.cause === undefined
        add(isListed ? 'suppressed' : (last.cause?.kind ?? 'bounced'), email, last.smtp_response ?? recipient)
      } else if (pending.has(recipient) && email.outbox !== null) {
        const { attempts } = email.outbox
        add('pending', email, `${recipient}, ${attempts === 0 ? 'not tried yet' : `tried ${attempts} times`}`)
      }
    }
    if (hasArrived(email)) add('arrived', email, quote(email.subject))
  }
  return [...groups].map(([cause, evidence]) => {
    const [message, remedy] = mailWords[cause]
    return weigh({ weight: causeWeights[cause], cause, message, remedy, kind: 'email', evidence })
  })
}

type MailOutcome = 'suppressed' | 'rule' | 'simulator' | 'bounced' | 'failed' | 'pending' | 'arrived'

const mailWords: Readonly<Record<MailOutcome, readonly [message: string, remedy: string]>> = {
  suppressed: [
    'The mail was not sent: its recipient is on the suppression list.',
    'Remove the address with `DELETE /dev/suppressions/{address}`, and send the mail again.',
  ],
  rule: [
    'A rule refused the recipient.',
    'Change the rule under "Rules and faults", or with `PUT /dev/rules`.',
  ],
  simulator: [
    'The address is one of the simulator, whose mail bounces.',
    'Use another address, or one of the simulator that accepts mail.',
  ],
  bounced: ['The server of the recipient refused the mail.', 'The reply says why.'],
  failed: ['The mail could not be composed.', 'The reason is in the evidence; correct the request.'],
  pending: [
    'The mail was accepted, and is not delivered yet.',
    'Wait longer, or look at the rules and faults that delay it.',
  ],
  arrived: [
    'Mail for this recipient is in the inbox.',
    'Look at it, and compare it with what was searched for: its subject, its time, its account.',
  ],
}

/** Mail that is sent later. */
export function scheduledCauses({ scheduled }: MissingFacts): Weighed[] {
  if (scheduled.length === 0) return []
  const evidence = scheduled.map(({ id, send_at: time, recipients }) => {
    return { id, time, text: `for ${recipients.join(', ')}, at ${timeText(time)}` }
  })
  const message = 'The mail is scheduled, and is sent later.'
  const remedy =
    'Wait until its time, send it at once with `POST /dev/scheduled/{id}/send`, or advance the clock of the instance.'
  const weight = causeWeights.scheduled
  return [weigh({ weight, cause: 'scheduled', message, remedy, kind: 'scheduled', evidence })]
}

/** Mail that came, but not for this recipient or not into this account. */
export function elsewhereCauses({ to, foreign, others }: MissingFacts): Weighed[] {
  const found: Weighed[] = []
  if (foreign.length > 0) {
    const evidence = foreign.map(({ account, id, time }) => ({ id, time, text: account }))
    const names = [...new Set(foreign.map(({ account }) => quote(account)))].join(', ')
    const message = `Mail for this recipient is in another account: ${names}.`
    const remedy =
      'Ask with a key of that account, or with `?account=`; or let the app send with the key or user name of this one.'
    const weight = causeWeights.other_account
    found.push(weigh({ weight, cause: 'other_account', message, remedy, kind: 'account', evidence }))
  }
  if (to === null || others.length === 0) return found
  const similar = others.filter(({ envelope }) =>
    envelope.rcpt_to.slice(0, maxComparedRecipients).some((one) => isSimilar(one, to)),
  )
  if (similar.length > 0) {
    const message = 'Mail came for a similar address.'
    const remedy = 'Compare the spelling of the address in the app and in the search.'
    const evidence = similar.map(recipientsAndSubject)
    const weight = causeWeights.similar_recipient
    found.push(weigh({ weight, cause: 'similar_recipient', message, remedy, kind: 'email', evidence }))
  }
  const different = others.filter((email) => !similar.includes(email))
  if (different.length > 0) {
    const message = 'Mail came, but for other recipients.'
    const remedy = 'Check which address the app sends to.'
    const evidence = different.map(recipientsAndSubject)
    const weight = causeWeights.other_recipient
    found.push(weigh({ weight, cause: 'other_recipient', message, remedy, kind: 'email', evidence }))
  }
  return found
}

function recipientsAndSubject({ id, created: time, envelope, subject }: EmailRecord): Evidence {
  return { id, time, text: `${envelope.rcpt_to.slice(0, maxShownRecipients).join(', ')}, ${quote(subject)}` }
}

/** Whether two addresses differ by a typo. */
function isSimilar(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > maxEdits || one.length > maxComparedLength) return false
  return editDistance(one.toLowerCase(), other.toLowerCase()) <= maxEdits
}

/** How many letters a typo changes. */
const maxEdits = 2
/** In characters. */
const maxComparedLength = 80
/** Of one mail. */
const maxComparedRecipients = 10
const maxShownRecipients = 3
