import { type ErrorCode, errorTable } from '../core/errors.ts'
import { withoutEnding } from '../core/text.ts'
import type { AttemptedRequest, MissingFacts } from './missing-facts.ts'
import type { MissingCause } from './missing-types.ts'
import { causeWeights, type Evidence, weigh, type Weighed } from './missing-weights.ts'
import type { SmtpProblemKind } from './smtp-session-types.ts'

/** Problems of SMTP sessions, one cause for each kind. One that names the recipient is nearly certain. */
export function sessionCauses({ sessions, to }: MissingFacts): Weighed[] {
  const groups = new Map<SmtpProblemKind, Words & { isNamed: boolean; evidence: Evidence[] }>()
  for (const { id, started, ended, problems } of sessions) {
    for (const { kind, message, advice, command, reply } of problems) {
      const group = groups.get(kind) ?? { message, remedy: advice, isNamed: false, evidence: [] }
      const text = [command, reply].filter((part) => part !== null).join(' → ')
      group.isNamed ||= names(text, to)
      group.evidence.push({ id, time: ended ?? started, text: text || message })
      groups.set(kind, group)
    }
  }
  return [...groups].map(([reason, { isNamed, ...group }]) => {
    const unnamedWeight = harmless.has(reason) ? causeWeights.harmlessSession : causeWeights.otherAttempt
    const weight = isNamed ? causeWeights.namingAttempt : unnamedWeight
    return weigh({ ...group, weight, cause: 'smtp_session', reason, kind: 'smtp_session' })
  })
}

/** Health checks and port scanners look like this too. */
const harmless: ReadonlySet<SmtpProblemKind> = new Set(['silent', 'no_message', 'disconnected'])

/** Refused requests that were to send something, one cause for each error. */
export function requestCauses({ requests, to }: MissingFacts): Weighed[] {
  const groups = new Map<string, Omit<Attempt, 'key' | 'text'> & { weight: number; evidence: Evidence[] }>()
  for (const request of requests) {
    const attempt = attemptOf(request)
    if (!attempt) continue
    const { key, text, ...cause } = attempt
    const group = groups.get(key) ?? { ...cause, weight: causeWeights.otherAttempt, evidence: [] }
    if (names(request.request_body ?? '', to)) group.weight = causeWeights.namingAttempt
    group.evidence.push({ id: request.id, time: request.timestamp, text })
    groups.set(key, group)
  }
  return [...groups.values()].map((group) => weigh({ ...group, kind: 'request' }))
}

/** What happened, and what to do. */
type Words = Pick<MissingCause, 'message' | 'remedy'>

/** A failed request. Those with the same key are one cause: the name of their error, or their status without one. */
interface Attempt extends Words, Pick<MissingCause, 'cause' | 'reason'> {
  key: string
  text: string
}

/** null for a request that was not to send, or succeeded. */
function attemptOf(request: AttemptedRequest): Attempt | null {
  const { method, path, status, warnings } = request
  // No error has the keys in brackets.
  if (path === '')
    return {
      key: '(wrong port)',
      cause: 'wrong_port',
      reason: null,
      text: warnings[0] ?? method,
      message: 'A client spoke another protocol than HTTP at the HTTP port.',
      remedy:
        'Send to the SMTP port over SMTP, and to the HTTP port over HTTP; the evidence names the ports.',
    }
  if (method !== 'POST' || (status !== 0 && status < 400)) return null
  const { name, message } = errorOf(request)
  const text = [`${method} ${path} → ${status || 'closed'}`, name, message]
    .filter((part) => part !== '')
    .join(' ')
  if (status === 0)
    return {
      key: '(no answer)',
      cause: 'request',
      reason: 'closed',
      text,
      message: 'A fault closed the connection of a request.',
      remedy: 'Turn it off under "Rules and faults", or with `DELETE /dev/faults`.',
    }
  const key = name || String(status)
  return { key, cause: 'request', reason: key, text, ...refusalWords(key, message) }
}

function refusalWords(error: string, message: string): Words {
  const row = Object.entries(errorTable).find(([code]) => code === error)?.[1]
  const said = message === '' ? '' : ` ${withoutEnding(message.trim(), '.')}.`
  if (!row)
    return {
      message: `A request was refused with ${error}.${said}`,
      remedy: 'The answer says why; correct the request.',
    }
  const refused = `A request was refused: ${row.meaning}`
  if (said !== '' && endsWithAdvice.has(error)) return { message: refused, remedy: said.trim() }
  return { message: refused + said, remedy: row.fix }
}

/** Errors whose message ends with the advice of the table. */
const endsWithAdvice: ReadonlySet<string> = new Set<ErrorCode>(['missing_api_key', 'invalid_api_key'])

function names(text: string, to: string | null): boolean {
  return to !== null && text.toLowerCase().includes(to.toLowerCase())
}

/** The name and the message of an error answer, as far as the log has it. */
function errorOf({ response_body: body }: AttemptedRequest): { name: string; message: string } {
  try {
    const answer: unknown = JSON.parse(body ?? '')
    const textOf = (member: string): string => {
      const value: unknown = Reflect.get(Object(answer), member)
      return typeof value === 'string' ? value : ''
    }
    return { name: textOf('name'), message: textOf('message') }
  } catch {
    return { name: '', message: '' }
  }
}
