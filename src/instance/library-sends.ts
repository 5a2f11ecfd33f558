import { LocalpostError, quote } from '../core/errors.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { Broadcast, BroadcastRequest } from '../broadcasts/types.ts'
import type { Broadcasts } from '../broadcasts/broadcasts.ts'
import type { SendRequest } from '../emails/types.ts'
import type { Emails, EmailService, SendOptions } from '../emails/emails.ts'
import type { Notice } from '../options/notice.ts'
import { errorAnswer, jsonAnswer, type Answer } from '../server/answer.ts'
import { beginExchange, type RequestLog } from '../server/request-log.ts'

/**
 * The sends of the library. As over HTTP they are in the request log. Their warnings are passed to `onNotice`, each text once.
 */
export function createLibrarySends(deps: {
  accept: EmailService['accept']
  broadcast: Broadcasts['send']
  log: Pick<RequestLog, 'add'>
  onNotice: (notice: Notice) => void
}): Pick<Emails, 'send'> & { broadcast: Broadcasts['send'] } {
  const warn = createWarn(deps.onNotice)

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
      throw new LocalpostError('invalid_option', message)
    }
    const exchange = beginExchange('library', 'POST', '/v1/emails')
    const add = ({ status, body }: Answer, warnings: string[]): void => {
      const responseBody = typeof body === 'string' ? body : null
      deps.log.add({ ...exchange, status, warnings, requestBody: encoded(request), responseBody })
    }
    const { id, warnings } = await deps
      .accept(request, idempotencyKey === undefined ? {} : { idempotencyKey })
      .catch((error: unknown) => {
        add(errorAnswer(error), [])
        throw error
      })
    add(jsonAnswer({ id }), warnings)
    warn('emails.send()', warnings)
    return isAsked ? { id, warnings } : { id }
  }

  return {
    send,
    async broadcast(request: BroadcastRequest): Promise<Broadcast> {
      const answer = await deps.broadcast(request)
      warn('broadcasts.send()', answer.warnings)
      return answer
    },
  }
}

// A loop with a new warning at each iteration must neither flood the log nor fill the memory.
const maxNotices = 100

function createWarn(onNotice: (notice: Notice) => void): (call: string, warnings: readonly string[]) => void {
  const said = new Set<string>()
  const say = (message: string): void => onNotice({ level: 'warning', message })
  return (call, warnings) => {
    for (const warning of warnings) {
      const message = `${call}: ${warning}.`
      if (said.size > maxNotices || said.has(message)) continue
      said.add(message)
      if (said.size <= maxNotices) say(message)
      else
        say(
          `${call}: more than ${maxNotices} different warnings; the others are listed only in requests.list().`,
        )
    }
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
