import type { SmtpSessionSummary } from '../../../src/inbox/types.ts'
import type { LoggedRequest } from '../../../src/server/types.ts'

/** One reason why mail may be missing: the newest request or session with it, and how often it came. */
export interface MailProblem {
  key: string
  /** Of the newest one. */
  id: string
  time: number
  count: number
  from: 'SMTP' | 'HTTP'
  message: string
  advice: string
  /** What the client was told. */
  reply: string
}

/** The reasons in the newest requests and sessions, newest first. */
export function mailProblems(
  sessions: readonly SmtpSessionSummary[],
  requests: readonly LoggedRequest[],
): MailProblem[] {
  const found = new Map<string, MailProblem>()
  const add = (problem: Omit<MailProblem, 'count'>): void => {
    const known = found.get(problem.key)
    if (!known) found.set(problem.key, { ...problem, count: 1 })
    else found.set(problem.key, { ...(problem.time > known.time ? problem : known), count: known.count + 1 })
  }
  for (const { id, started, ended, problems } of sessions) {
    for (const { kind, message, advice, command, reply } of problems) {
      const said = [command, reply].filter((text) => text !== null).join(' → ')
      add({ key: `smtp ${kind}`, id, time: ended ?? started, from: 'SMTP', message, advice, reply: said })
    }
  }
  for (const request of requests) {
    const problem = httpProblem(request)
    if (problem) add({ ...problem, id: request.id, time: request.timestamp, from: 'HTTP' })
  }
  return [...found.values()].sort((one, other) => other.time - one.time)
}

type HttpProblem = Pick<MailProblem, 'key' | 'message' | 'advice' | 'reply'>

function httpProblem(request: LoggedRequest): HttpProblem | null {
  const { method, path, status, warnings } = request
  if (path === '') {
    const [message = '', ...advice] = (warnings[0] ?? '').split(/(?<=[.:]) /)
    return {
      key: `http ${method}`,
      message: asSentence(message),
      advice: asSentence(advice.join(' ')),
      reply: '',
    }
  }
  if (status !== 0 && status < 400) return null
  const reply = `${method} ${path} → ${status || 'closed'}`
  if (status === 0)
    return {
      key: 'http closed',
      message: 'A fault closed the connection of a request.',
      advice: 'Turn it off under "Rules and faults".',
      reply,
    }
  const { name, message } = errorOf(request)
  const words = wordsOf[name]
  return {
    key: `http ${name || status}`,
    message: words?.[0] ?? 'A request was refused.',
    advice: words?.[1] ?? (message || 'The answer says why.'),
    reply: `${reply} ${name}`,
  }
}

/** What is said beside the common errors of `/v1`; others have their own message. */
const wordsOf: Readonly<Record<string, readonly [message: string, advice: string] | undefined>> = {
  missing_api_key: [
    'A request had no API key.',
    'Send the header Authorization: Bearer with the key that the page "Connect" shows.',
  ],
  invalid_api_key: [
    'A request had an API key that is not known.',
    'Use the key that the page "Connect" shows. A key of the real service does not work here, unless acceptAnyKey is on.',
  ],
  not_found: [
    'A request asked for a path or a record that is not there.',
    'Compare the path: mail is sent with POST /v1/emails.',
  ],
}

function asSentence(text: string): string {
  const trimmed = text.replace(/[:,.]?\s*$/, '')
  return trimmed === '' ? '' : `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}.`
}

/** The error that was answered; both members are `""` for none. */
export function errorOf({ status, response_body }: LoggedRequest): { name: string; message: string } {
  if (status < 400 || response_body === null) return { name: '', message: '' }
  try {
    const body: unknown = JSON.parse(response_body)
    const text = (name: string): string => {
      const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : ''
      return typeof value === 'string' ? value : ''
    }
    return { name: text('name'), message: text('message') }
  } catch {
    return { name: '', message: '' }
  }
}
