import type { SmtpSessionSummary } from '../../../src/inbox/smtp-session-types.ts'
import type { LoggedRequest } from '../../../src/server/types.ts'
import type { WebhookDelivery } from '../../../src/webhooks/types.ts'
import { beginOf } from '../../composables/words.ts'
import { deliveryErrorWords } from '../webhooks/health.ts'
import type { KnownWebhooks } from '../webhooks/receiver.ts'

/** A reason why mail may be missing, with the newest request or session that shows it. */
export interface MailProblem {
  key: string
  /** The id of the newest request, session or delivery. */
  id: string
  time: number
  /** How many requests or problems of sessions show it. */
  count: number
  from: 'SMTP' | 'HTTP' | 'Webhook'
  message: string
  advice: string
  /** The reply that the client got. */
  reply: string
}

/**
 * The reasons in the newest requests, sessions and deliveries, newest first.
 *
 * @param webhooks  By id; without them the deliveries of none are a reason.
 */
export function mailProblems(
  sessions: readonly SmtpSessionSummary[],
  requests: readonly LoggedRequest[],
  deliveries: readonly WebhookDelivery[] = [],
  webhooks: KnownWebhooks = null,
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
  for (const delivery of deliveries) {
    const problem = webhookProblem(delivery, webhooks)
    if (problem) add({ ...problem, id: delivery.id, from: 'Webhook' })
  }
  return [...found.values()].sort((one, other) => other.time - one.time)
}

/** The last try of a delivery that was not taken; null for one that was, and for a webhook that is gone or not known. */
function webhookProblem(
  { webhook_id, type, state, attempts }: WebhookDelivery,
  webhooks: KnownWebhooks,
): (HttpProblem & { time: number }) | null {
  const url = webhooks?.get(webhook_id)?.url
  const last = attempts.at(-1)
  if (state === 'delivered' || !last?.error || url === undefined) return null
  return {
    key: `webhook ${webhook_id}`,
    time: last.timestamp,
    message: 'A webhook delivery failed.',
    advice:
      last.status === null
        ? `Check that the receiver runs at ${beginOf(url, longestUrl)}.`
        : `The receiver answered ${last.status}: its log should say why. Replay the delivery under "Webhooks" afterwards.`,
    reply: `${type} → ${deliveryErrorWords(last.error)}`,
  }
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
  const words = errorTexts[name]
  return {
    key: `http ${name || status}`,
    message: words?.[0] ?? 'A request was refused.',
    advice: words?.[1] ?? (message || 'The answer says why.'),
    reply: `${reply} ${name}`,
  }
}

/** Message and advice for the common errors of `/v1`. For other errors the advice is the message of the answer. */
const errorTexts: Readonly<Record<string, readonly [message: string, advice: string] | undefined>> = {
  missing_api_key: [
    'A request had no API key.',
    'Send the header Authorization: Bearer with the key that the view "Connect" shows.',
  ],
  invalid_api_key: [
    'A request had an unknown API key.',
    'Use the key that the view "Connect" shows. A key of the real service does not work here, unless `acceptAnyKey` is on (`--accept-any-key`).',
  ],
  not_found: [
    'A request asked for a path or a record that does not exist.',
    'Compare the path: mail is sent with POST /v1/emails.',
  ],
}

function asSentence(text: string): string {
  const trimmed = text.trimEnd().replace(/[:,.]$/, '')
  return trimmed === '' ? '' : `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}.`
}

/** The name and message of the error in the answer; both are `""` if there is none. */
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

const longestUrl = 200
