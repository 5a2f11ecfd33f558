import { isNoRoom } from '../core/byte-budget.ts'
import { isErrorOf } from '../core/errors.ts'

/** An SMTP reply of 400 or more, in the form that smtp-server expects from a handler. */
export interface Refusal extends Error {
  responseCode: number
}

/**
 * A refusal with an enhanced status code of its own.
 *
 * @param replyCode  See RFC 5321; 421 closes the connection.
 * @param enhancedCode  See RFC 3463; of the same class as the reply code. It is put before the text. The connection then
 *   sends this code instead of smtp-server's default.
 */
export function refusal(replyCode: number, enhancedCode: string, text: string): Refusal {
  return Object.assign(new Error(`${enhancedCode} ${text}`), { responseCode: replyCode })
}

/** Whether a reply text begins with an enhanced status code. */
export function hasEnhancedCode(replyCode: number, text: unknown): boolean {
  return (
    typeof text === 'string' &&
    /^[245]\.\d{1,3}\.\d{1,3} /.test(text) &&
    text.startsWith(String(replyCode).charAt(0))
  )
}

/** The lines of one reply as they are sent. All but the last have `-` after the code, which means that more follows. */
function replyLines(code: number, texts: readonly string[]): string[] {
  return texts.map((text, i) => `${code}${i < texts.length - 1 ? '-' : ' '}${text}`)
}

/** The reply when a message could not be stored. */
export function refusalOf(error: unknown): Refusal {
  if (isErrorOf(error, 'store_full')) return refusal(452, '4.3.1', 'The disk is full, nothing was stored')
  if (isNoRoom(error))
    return refusal(452, '4.3.1', 'Too much mail is waiting to be stored, try again in a moment')
  if (isErrorOf(error, 'closed')) return refusal(421, '4.3.2', 'Localpost is closing')
  if (isErrorOf(error, 'not_found')) return lostAccess()
  if (isErrorOf(error, 'message_too_large')) return refusal(552, '5.3.4', 'The message is too large')
  if (isErrorOf(error, 'store_unknown'))
    return refusal(451, '4.3.0', 'It is not known whether the message was stored, try again')
  if (isErrorOf(error, 'service_unavailable'))
    return refusal(451, '4.3.0', 'The message cannot be stored now, try again in a moment')
  return refusal(451, '4.3.0', 'The message could not be stored, try again')
}

/** The reply to a session whose key, password or account has ended. It closes the connection. */
export function lostAccess(): Refusal {
  return refusal(421, '4.7.0', 'The credentials of this session are no longer valid, connect with others')
}

/**
 * The lines of a reply. If the text does not begin with an enhanced code, smtp-server's code for the reply is used. Texts
 * may contain input of a client, so control characters are replaced.
 *
 * @param context  The key of smtp-server's enhanced code for this reply; false for none.
 */
export function linesOf(
  codes: { _getEnhancedStatusCode(code: number, context?: string | false): string },
  code: number,
  data: string | string[] | null | undefined,
  context: string | false | undefined,
): string[] {
  const enhancedCode = hasEnhancedCode(code, data) ? '' : codes._getEnhancedStatusCode(code, context)
  const prefix = enhancedCode === '' ? '' : `${enhancedCode} `
  if (!Array.isArray(data)) return [`${code} ${prefix}${shown(data ?? '')}`]
  return replyLines(
    code,
    data.map((text) => prefix + shown(text)),
  )
}

function shown(text: string): string {
  return hasControl.test(text) ? text.replace(eachControl, ' ') : text
}

const hasControl = /[\x00-\x1f\x7f-\x9f]/
const eachControl = new RegExp(hasControl, 'g')
