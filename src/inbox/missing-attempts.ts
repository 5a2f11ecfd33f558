import { type ErrorCode, errorTable } from '../core/errors.ts'
import { withoutEnding } from '../core/text.ts'
import {
  type AttemptedRequest,
  causeWeights,
  type Evidence,
  type MissingFacts,
  weigh,
  type Weighed,
} from './missing-facts.ts'
import type { SmtpProblemKind } from './smtp-session-types.ts'
import type { MissingCause } from './missing-types.ts'

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
  const groups = new Map<string, Words & { weight: number; evidence: Evidence[] }>()
  for (const request of requests) {
    const { id, timestamp, method, path, status, warnings, request_body } = request
    const isForeign = path === ''
    if (!isForeign && (method !== 'POST' || (status !== 0 && status < 400))) continue
    const { name, message } = errorOf(request)
    const refusal = status === 0 ? closed : name || String(status)
    const key = isForeign ? wrongPort : refusal
    const text = isForeign
      ? (warnings[0] ?? method)
      : [`${method} ${path} → ${status || 'closed'}`, name, message].filter((part) => part !== '').join(' ')
    const words = requestWords(key, message)
    const group = groups.get(key) ?? { weight: causeWeights.otherAttempt, ...words, evidence: [] }
    if (names(request_body ?? '', to)) group.weight = causeWeights.namingAttempt
    group.evidence.push({ id, time: timestamp, text })
    groups.set(key, group)
  }
  return [...groups].map(([key, group]) => {
    const isWrongPort = key === wrongPort
    const cause = isWrongPort ? 'wrong_port' : 'request'
    return weigh({ ...group, cause, reason: isWrongPort ? null : key, kind: 'request' })
  })
}

/** What happened, and what to do. */
type Words = Pick<MissingCause, 'message' | 'remedy'>

// Attempts are grouped by the name of their error, or their status without one; these two have neither.
/** The key of the attempts in another protocol. They are logged without a path. */
const wrongPort = ''
/** The key of the requests that a fault gave no answer. They are logged with the status 0. */
const closed = 'closed'

function requestWords(key: string, message: string): Words {
  if (key === wrongPort)
    return {
      message: 'A client spoke another protocol than HTTP at the HTTP port.',
      remedy:
        'Send to the SMTP port over SMTP, and to the HTTP port over HTTP; the evidence names the ports.',
    }
  if (key === closed)
    return {
      message: 'A fault closed the connection of a request.',
      remedy: 'Turn it off under "Rules and faults", or with `DELETE /dev/faults`.',
    }
  const row = Object.entries(errorTable).find(([code]) => code === key)?.[1]
  const said = message === '' ? '' : ` ${withoutEnding(message.trim(), '.')}.`
  if (!row)
    return {
      message: `A request was refused with ${key}.${said}`,
      remedy: 'The answer says why; correct the request.',
    }
  const refused = `A request was refused: ${row.meaning}`
  if (said !== '' && endsWithAdvice.has(key)) return { message: refused, remedy: said.trim() }
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
