import { isErrorOf } from '../core/errors.ts'

/** An SMTP reply of 400 or more, as smtp-server takes it from a handler. */
export interface Refusal extends Error {
  responseCode: number
}

/**
 * A refusal with an enhanced status code of its own.
 *
 * @param replyCode  RFC 5321, 421 closes the connection.
 * @param enhancedCode  RFC 3463, of the same class as the reply code; it stands before the text, where the connection
 *   finds it and sends no code of smtp-server's choice.
 */
export function refusal(replyCode: number, enhancedCode: string, text: string): Refusal {
  return Object.assign(new Error(`${enhancedCode} ${text}`), { responseCode: replyCode })
}

/** Tells whether a reply text brings its enhanced status code with it. */
export function hasEnhancedCode(replyCode: number, text: unknown): boolean {
  return (
    typeof text === 'string' &&
    /^[245]\.\d{1,3}\.\d{1,3} /.test(text) &&
    text.startsWith(String(replyCode).charAt(0))
  )
}

/** The lines of one reply as they are sent: all but the last say that more follows. */
export function replyLines(code: number, texts: readonly string[]): string[] {
  return texts.map((text, i) => `${code}${i < texts.length - 1 ? '-' : ' '}${text}`)
}

/** What a client hears when its message could not be taken. */
export function refusalOf(error: unknown): Refusal {
  if (isErrorOf(error, 'store_full')) return refusal(452, '4.3.1', 'The disk is full, nothing was stored')
  if (isErrorOf(error, 'service_unavailable'))
    return refusal(452, '4.3.1', 'Too much waits to be stored, try again in a moment')
  if (isErrorOf(error, 'closed')) return refusal(421, '4.3.2', 'Localpost is closing')
  if (isErrorOf(error, 'message_too_large')) return refusal(552, '5.3.4', 'The message is too large')
  if (isErrorOf(error, 'store_unknown'))
    return refusal(451, '4.3.0', 'It is not known whether the message was stored, try again')
  return refusal(451, '4.3.0', 'The message could not be stored, try again')
}
