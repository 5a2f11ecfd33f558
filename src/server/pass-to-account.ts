import type { H3Event, Middleware } from 'h3'
import { LocalpostError } from '../core/errors.ts'
import type { SessionOwner } from '../users/sessions.ts'
import { passedOn } from './body-streams.ts'
import { type AccountDestination, destinationOf } from './destination.ts'
import type { OtherAccounts } from './other-accounts.ts'
import { stateOf } from './request-state.ts'

/**
 * Passes a request on to the account that it is for, unless that is `default`.
 *
 * @param hasUsers  Whether users can sign in, which see only some accounts.
 */
export function passToAccount(
  otherAccounts: OtherAccounts,
  hasUsers: boolean,
  sessionOwner: (headers: Pick<Headers, 'get'>) => SessionOwner | null,
): Middleware {
  return async (event, next) => {
    if (!hasUsers && otherAccounts.isEmpty() && !event.url.search.includes('account=')) return next()
    const find = (): AccountDestination =>
      destinationOf(event, otherAccounts, () => sessionOwner(event.req.headers))
    const state = stateOf(event)
    const { unknown, ...to } = find()
    const assertReached = (): void => {
      const now = find()
      if (now.id !== to.id || now.unknown !== null || (now.id !== null && !otherAccounts.has(now.id)))
        throw new LocalpostError('not_found', 'The account of this request cannot be reached any more.')
    }
    state.account = unknown === null ? { ...state.account, assertReached } : { ...state.account, unknown }
    if (to.id === null) return next()
    const { app, used, release } = await otherAccounts.open(to.id)
    state.account = { ...state.account, used }
    return answerHeld(async () => app.answer(to.request, event.context), event, release)
  }
}

/**
 * Gets an answer, and calls `release` once it needs its account no longer: at once, or at the end of a stream. h3's
 * `onDispose` would read ahead of callers in process, and hold the account for those who never read an answer.
 */
async function answerHeld(
  get: () => Promise<Response>,
  event: H3Event,
  release: () => void,
): Promise<Response> {
  let isHeld = false
  try {
    const answer = await get()
    const { isStreamed, socket } = stateOf(event)
    if (!isStreamed || socket?.res.destroyed) return answer
    isHeld = true
    if (!socket) {
      const { status, headers, body } = answer
      return new Response(body && passedOn(body, release), { status, headers })
    }
    socket.res.once('close', release)
    return answer
  } finally {
    if (!isHeld) release()
  }
}
