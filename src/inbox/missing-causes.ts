import { sessionCauses, requestCauses } from './missing-attempts.ts'
import { weigh, type MissingFacts, timeText, type Weighed, type Words } from './missing-facts.ts'
import { elsewhereCauses, mailCauses, scheduledCauses } from './missing-mails.ts'
import type { MissingCause, MissingMail } from './missing-types.ts'

/** The causes that the facts show, the likeliest first. */
export function causesOf(facts: MissingFacts): MissingCause[] {
  const found = [
    ...mailCauses(facts),
    ...scheduledCauses(facts),
    ...sessionCauses(facts),
    ...requestCauses(facts),
    ...standingCauses(facts),
    ...elsewhereCauses(facts),
    ...retentionCauses(facts),
  ]
  const { sessions, requests, mails, others, scheduled, foreign } = facts
  if ([sessions, requests, mails, others, scheduled, foreign].every(({ length }) => length === 0))
    found.push(noAttempt(facts))
  if (found.length === 0)
    found.push({ ...noAttempt(facts), message: 'Nothing that was recorded explains it.' })
  const newest = ({ evidence }: MissingCause): number => evidence[0]?.time ?? 0
  found.sort((one, other) => other.weight - one.weight || newest(other) - newest(one))
  return found.map(({ cause, reason, message, remedy, count, evidence }) => {
    return { cause, reason, message, remedy, count, evidence }
  })
}

/** What is set to stop mail, whether or not it has stopped one. */
function standingCauses({ suppression, rule, rejectSubmissions, faults }: MissingFacts): Weighed[] {
  const found: Weighed[] = []
  if (suppression) {
    const { address, reason, created } = suppression
    const evidence = { kind: 'suppression' as const, id: null, time: created, text: `${address} (${reason})` }
    const words: Words = [
      'The address is on the suppression list, so mail for it bounces.',
      'Remove it with `DELETE /dev/suppressions/{address}`.',
    ]
    found.push(weigh({ weight: 50, cause: 'suppressed', reason, words, evidence: [evidence] }))
  }
  if (rule && rule.action !== 'accept') {
    const evidence = { kind: 'rule' as const, id: null, time: null, text: `${rule.match}: ${rule.action}` }
    const words: Words = [
      `A rule with the action ${rule.action} applies to the address.`,
      'Change the rule under "Rules and faults", or with `PUT /dev/rules`.',
    ]
    const weight = rejectSubmissions ? 58 : 51
    found.push(weigh({ weight, cause: 'rule', reason: rule.action, words, evidence: [evidence] }))
  }
  if (faults) {
    const texts = [
      ...faults.http.map(({ method = '*', path }) => `HTTP ${method} ${path}`),
      ...faults.smtp.map(({ stage }) => `SMTP at ${stage}`),
      ...(faults.rate_limit
        ? [`${faults.rate_limit.requests} requests in ${faults.rate_limit.per_ms} ms`]
        : []),
    ]
    const evidence = texts.map((text) => ({ kind: 'fault' as const, id: null, time: null, text: text }))
    const words: Words = [
      'Faults are on, which make requests or SMTP sessions fail.',
      'Turn them off under "Rules and faults", or with `DELETE /dev/faults`.',
    ]
    found.push(weigh({ weight: 49, cause: 'fault', words, evidence }))
  }
  return found
}

/** Mail that is removed because of a limit. */
function retentionCauses({ kept, since, now }: MissingFacts): Weighed[] {
  const { emails, maxEmails, maxAgeMs } = kept
  const texts = [
    ...(maxEmails !== null && emails >= maxEmails ? [`maxEmails: ${maxEmails}`] : []),
    ...(maxAgeMs !== null && since < now - maxAgeMs ? [`maxAgeMs: ${maxAgeMs}`] : []),
  ]
  if (texts.length === 0) return []
  const evidence = texts.map((text) => ({ kind: 'option' as const, id: null, time: null, text }))
  const words: Words = [
    'The oldest mail is removed, because the limit of kept mail is reached.',
    'Look sooner, or raise `maxEmails` or `maxAgeMs`.',
  ]
  return [weigh({ weight: 35, cause: 'retention', words, evidence })]
}

function noAttempt({ since }: MissingFacts): Weighed {
  const words: Words = [
    `No request and no SMTP session came since ${timeText(since)}.`,
    'The app did not send, or it sends elsewhere: check its host, its port and its own log.',
  ]
  return weigh({ weight: 56, cause: 'no_attempt', words, evidence: [] })
}

/** The causes that say why a wait timed out, as the end of its message; empty if nothing points to one. */
export function likelyCauses({ causes }: MissingMail): string {
  const telling = causes.filter(({ cause }) => !untelling.has(cause)).slice(0, mostTold)
  const texts = telling.map(({ message, remedy }) => `${message} ${remedy}`)
  return texts.length === 0
    ? ''
    : ` ${texts.length === 1 ? 'A likely cause' : 'Likely causes'}: ${texts.join(' Or: ')}`
}

/** The nearest misses show these, and that nothing came needs no words. */
const untelling: ReadonlySet<string> = new Set([
  'arrived',
  'other_recipient',
  'similar_recipient',
  'no_attempt',
  'retention',
])
const mostTold = 2
