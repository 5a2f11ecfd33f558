import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { Broadcast, BroadcastRequest } from '../broadcasts/types.ts'
import type { Broadcasts } from '../broadcasts/broadcasts.ts'
import type { SendRequest } from '../emails/send-types.ts'
import type { AcceptOptions, Emails, EmailService, SendOptions } from '../emails/emails.ts'
import type { Notice } from '../options/notice.ts'
import type { Scheduled } from '../sending/scheduled.ts'
import type { SendingService } from '../sending/service.ts'
import type { SendingRequest, SentEmail } from '../sending/types.ts'
import { createSendWarnings } from './send-warnings.ts'
import { errorAnswer, jsonAnswer, type Answer } from '../server/answer.ts'
import { beginExchange, type RequestLog } from '../server/request-log.ts'

/** Whole requests, and the emails that are sent later. */
export interface Sends extends Pick<Scheduled, 'cancel' | 'reschedule' | 'sendNow'> {
  /**
   * Accepts an email, or several in one commit; they are delivered afterwards.
   *
   * @returns The id of each email, in the order of the requests; of one with a `send_at` ahead, that of the scheduled
   *   email. The answer to a repeated idempotency key has no warnings.
   * @throws validation_error, invalid_attachment, template_not_found, missing_variable, message_too_large,
   *   domain_not_verified, domain_not_registered, idempotency_conflict, or an error of the store: nothing was stored. The
   *   fields of an error begin with `[i].` where there are several requests.
   * @example
   * await post.sending.send({ from, to, subject, text, send_at: Date.now() + 3_600_000, metadata: { order: '17' } })
   */
  send(request: SendingRequest, options?: AcceptOptions): Promise<SentEmail>
  send(requests: readonly SendingRequest[], options?: AcceptOptions): Promise<SentEmail[]>
  readonly scheduled: Pick<Scheduled, 'list' | 'get'>
}

/**
 * The sends of the library. Emails are in the request log, as requests to `/v1` are; a broadcast is not, also over HTTP.
 * The warnings of all are passed to `onNotice`, each text once.
 */
export function createLibrarySends(deps: {
  accept: EmailService['accept']
  sending: Pick<SendingService, 'send'>
  broadcast: Broadcasts['send']
  log: Pick<RequestLog, 'add'>
  onNotice: (notice: Notice) => void
}): Pick<Emails, 'send'> & { broadcast: Broadcasts['send']; sendWhole: Sends['send'] } {
  const warn = createSendWarnings(deps.onNotice)

  function send(
    request: SendRequest,
    options: SendOptions & { warnings: true },
  ): Promise<{ id: string; warnings: string[] }>
  function send(request: SendRequest, options?: SendOptions): Promise<{ id: string }>
  async function send(
    request: SendRequest,
    options: SendOptions = {},
  ): Promise<{ id: string; warnings?: string[] }> {
    assertKnownOptions(options, ['idempotencyKey', 'warnings'], 'emails.send()')
    const { idempotencyKey, warnings: isAsked = false } = options
    if (typeof isAsked !== 'boolean') {
      const message = `Option "warnings" of emails.send() takes true or false, not ${quote(isAsked)}.`
      throw invalidOption(message)
    }
    const acceptOptions = idempotencyKey === undefined ? {} : { idempotencyKey }
    const { id, warnings } = await logged('/v1/emails', request, async () => {
      const accepted = await deps.accept(request, acceptOptions)
      return { result: accepted, answer: { id: accepted.id }, warnings: accepted.warnings }
    })
    warn('emails.send()', warnings)
    return isAsked ? { id, warnings } : { id }
  }

  function sendWhole(request: SendingRequest, options?: AcceptOptions): Promise<SentEmail>
  function sendWhole(requests: readonly SendingRequest[], options?: AcceptOptions): Promise<SentEmail[]>
  async function sendWhole(
    given: SendingRequest | readonly SendingRequest[],
    options: AcceptOptions = {},
  ): Promise<SentEmail | SentEmail[]> {
    assertKnownOptions(options, ['idempotencyKey'], 'sending.send()')
    const { idempotencyKey } = options
    const sent = await logged('/dev/emails', given, async () => {
      const emails = await deps.sending.send(given, { surface: 'library', idempotencyKey })
      return { result: emails, answer: { emails }, warnings: emails.flatMap(({ warnings }) => warnings) }
    })
    // One request gives exactly one result.
    const [only] = sent
    for (const { warnings } of sent) warn('sending.send()', warnings)
    return Array.isArray(given) || !only ? sent : only
  }

  /** Logs a send as the request that it would be over HTTP. */
  async function logged<T>(
    path: string,
    request: unknown,
    run: () => Promise<{ result: T; answer: object; warnings: string[] }>,
  ): Promise<T> {
    const exchange = beginExchange('library', 'POST', path)
    const add = ({ status, body }: Answer, warnings: string[]): void => {
      const responseBody = typeof body === 'string' ? body : null
      deps.log.add({ ...exchange, status, warnings, requestBody: encoded(request), responseBody })
    }
    try {
      const { result, answer, warnings } = await run()
      add(jsonAnswer(answer), warnings)
      return result
    } catch (error) {
      add(errorAnswer(error), [])
      throw error
    }
  }

  return {
    send,
    sendWhole,
    async broadcast(request: BroadcastRequest): Promise<Broadcast> {
      const answer = await deps.broadcast(request)
      warn('broadcasts.send()', answer.warnings)
      return answer
    },
  }
}

/** The request as it would be over HTTP, but with long texts cut, because the log shows only 16 KiB. */
function encoded(request: unknown): Uint8Array | null {
  try {
    const text = JSON.stringify(request, (_, value: unknown) =>
      typeof value === 'string' && value.length > maxTextChars ? value.slice(0, maxTextChars) : value,
    )
    return text === undefined ? null : Buffer.from(text)
  } catch {
    // Not JSON, for example because of a bigint: the answer says what is wrong with it.
    return null
  }
}

const maxTextChars = 16 * 1024
