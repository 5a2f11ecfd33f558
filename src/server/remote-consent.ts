import type { H3Event } from 'h3'
import { LocalpostError } from '../core/errors.ts'
import { bearerOf } from './auth.ts'
import { socketRequestOf } from './request-state.ts'

/**
 * Whether the address of a request may be one that a mail contains: a click in the frame of a mail, or an image in it,
 * makes the browser request any URL of this server, with the cookies of the page.
 *
 * A browser sends neither an API key nor a header of its own for these. In process, a request without `User-Agent` is not
 * one that a server passed on from a browser. `Sec-Fetch-*` is not looked at: browsers leave it out over plain HTTP.
 */
export function mayComeFromMail(event: H3Event): boolean {
  const { headers } = event.req
  if (bearerOf(headers) !== null || headers.has('x-localpost-page')) return false
  return socketRequestOf(event) !== undefined || headers.has('user-agent')
}

/**
 * Refuses a request that would make the browser or the server connect to addresses in a mail, unless the reader consented.
 *
 * @param what  The beginning of the message.
 * @throws consent_required
 */
export function consentRequired(what: string, how: string): LocalpostError {
  return new LocalpostError(
    'consent_required',
    `${what}, which an address alone cannot ask for, because a mail may contain it. ${how}`,
  )
}
