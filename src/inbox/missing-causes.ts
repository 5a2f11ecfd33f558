import { sessionCauses, requestCauses } from './missing-attempts.ts'
import type { MissingFacts } from './missing-facts.ts'
import { elsewhereCauses, mailCauses, scheduledCauses } from './missing-mails.ts'
import type { MissingCause, MissingCauseCode, MissingMail } from './missing-types.ts'
import { causeWeights, weigh, timeText, type Weighed } from './missing-weights.ts'

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
    found.push(noAttempt(`No request and no SMTP session came since ${timeText(facts.since)}.`))
  // Attempts were recorded, but none of them points to a cause.
  if (found.length === 0) found.push(noAttempt('Nothing that was recorded explains it.'))
  // `weigh` sorts the evidence, the newest first.
  const newest = ({ evidence }: MissingCause): number => evidence[0]?.time ?? 0
  found.sort((one, other) => other.weight - one.weight || newest(other) - newest(one))
  return found.map(({ weight: _weight, ...cause }) => cause)
}

/** What is set to stop mail, whether or not it has stopped one. */
function standingCauses({ suppression, rule, rejectSubmissions, faults }: MissingFacts): Weighed[] {
  const found: Weighed[] = []
  if (suppression) {
    const { address, reason, created } = suppression
    const cause = weigh({
      weight: causeWeights.standingSuppression,
      cause: 'suppressed',
      reason,
      message: 'The address is on the suppression list, so mail for it bounces.',
      remedy: 'Remove it with `DELETE /dev/suppressions/{address}`.',
      kind: 'suppression',
      evidence: [{ time: created, text: `${address} (${reason})` }],
    })
    found.push(cause)
  }
  if (rule && rule.action !== 'accept') {
    const cause = weigh({
      weight: rejectSubmissions ? causeWeights.rejectingRule : causeWeights.standingRule,
      cause: 'rule',
      reason: rule.action,
      message: `A rule with the action ${rule.action} applies to the address.`,
      remedy: 'Change the rule under "Rules and faults", or with `PUT /dev/rules`.',
      kind: 'rule',
      evidence: [{ text: `${rule.match}: ${rule.action}` }],
    })
    found.push(cause)
  }
  if (faults) {
    const { http, smtp, rate_limit } = faults
    const texts = [
      ...http.map(({ method = '*', path }) => `HTTP ${method} ${path}`),
      ...smtp.map(({ stage }) => `SMTP at ${stage}`),
      ...(rate_limit ? [`${rate_limit.requests} requests in ${rate_limit.per_ms} ms`] : []),
    ]
    const cause = weigh({
      weight: causeWeights.fault,
      cause: 'fault',
      message: 'Faults are on, which make requests or SMTP sessions fail.',
      remedy: 'Turn them off under "Rules and faults", or with `DELETE /dev/faults`.',
      kind: 'fault',
      evidence: texts.map((text) => ({ text })),
    })
    found.push(cause)
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
  const cause = weigh({
    weight: causeWeights.retention,
    cause: 'retention',
    message: 'The oldest mail is removed, because the limit of kept mail is reached.',
    remedy: 'Look sooner, or raise `maxEmails` or `maxAgeMs`.',
    kind: 'option',
    evidence: texts.map((text) => ({ text })),
  })
  return [cause]
}

function noAttempt(message: string): Weighed {
  const weight = causeWeights.no_attempt
  const remedy = 'The app did not send, or it sends elsewhere: check its host, its port and its own log.'
  return { weight, cause: 'no_attempt', reason: null, message, remedy, count: 0, evidence: [] }
}

/** The causes that say why a wait timed out, as the end of its message; empty if nothing points to one. */
export function likelyCauses({ causes }: MissingMail): string {
  const told = causes.filter(({ cause }) => !notTold.has(cause)).slice(0, maxTold)
  const texts = told.map(({ message, remedy }) => `${message} ${remedy}`)
  return texts.length === 0
    ? ''
    : ` ${texts.length === 1 ? 'A likely cause' : 'Likely causes'}: ${texts.join(' Or: ')}`
}

/** How many causes the message names. */
const maxTold = 2
/** The nearest misses in the same message already show these. */
const notTold: ReadonlySet<MissingCauseCode> = new Set<MissingCauseCode>([
  'arrived',
  'other_recipient',
  'similar_recipient',
  'no_attempt',
  'retention',
])
