import { ownSignal } from '../core/own-signal.ts'
import { untilAborted } from '../core/until-aborted.ts'
import type { H3Event } from 'h3'
import type { HttpFault } from '../faults/types.ts'
import type { ArmedFaults } from '../faults/faults.ts'
import type { Clock } from '../core/clock.ts'
import { LocalpostError, type ErrorCode } from '../core/errors.ts'
import { type Answer, bytesAnswer, errorAnswer } from './answer.ts'
import { bearerPlace } from './auth.ts'
import { stateOf } from './request-state.ts'

/** Applies the faults of `/dev/faults` to requests to `/v1` and to the APIs of providers. */
export interface FaultGate {
  /**
   * Called before anything of a request is read, even its key: a fault simulates a service that is down.
   *
   * @returns The answer instead of the route's; undefined if the route answers.
   */
  meet(event: H3Event): Promise<Answer | undefined>
  /** Ends every delay. The delayed requests are answered at once with the error `closed`. */
  close(): void
}

export function createFaultGate(deps: { faults: Pick<ArmedFaults, 'http'>; clock: Clock }): FaultGate {
  const { faults, clock } = deps
  const closing = new AbortController()
  async function strike(event: H3Event, fault: HttpFault): Promise<Answer | undefined> {
    const { delay_ms = 0, disconnect, status } = fault
    const state = stateOf(event)
    const { exchange } = state
    // The request log masks the key.
    exchange.key = (state.face?.key ?? bearerPlace).of(event.req.headers)
    // No client gets this answer.
    const nothing = (): Answer => bytesAnswer(null, {}, 503)
    const isDelayOver =
      delay_ms <= 0 ||
      (await passed(clock, delay_ms, AbortSignal.any([closing.signal, ownSignal(event.req.signal)])))
    exchange.warnings.push(`a fault of /dev/faults struck: ${faultInWords(fault)}`)
    if (!isDelayOver && closing.signal.aborted)
      throw new LocalpostError('closed', 'The instance was closed while a fault delayed this request.')
    if (!isDelayOver) {
      exchange.warnings.push('the caller hung up during the delay')
      return nothing()
    }
    if (disconnect) {
      state.isCut = true
      state.socket?.req.socket.destroy()
      return nothing()
    }
    return status === undefined ? undefined : errorAnswer(faultError(status), state.face, event.url.pathname)
  }

  return {
    async meet(event) {
      const found = await faults.http(event.req.method, event.url.pathname)
      return found ? strike(event, found) : undefined
    },
    close: () => closing.abort(),
  }
}

/** The error of `fetch` for a broken connection. Calls in process get it, because they have no connection to close. */
export function brokenConnection(): TypeError {
  const cause = Object.assign(new Error('A fault of /dev/faults closed the connection'), {
    code: 'ECONNRESET',
  })
  return new TypeError('fetch failed', { cause })
}

/** Waits for the delay, or for the signal. @returns Whether the delay is over. */
function passed(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  let cancel = (): void => {}
  const over = new Promise<boolean>((resolve) => {
    cancel = clock.after(delayMs, () => resolve(true))
  })
  return untilAborted(over, signal, cancel).catch(() => false)
}

function faultInWords({ delay_ms, disconnect, status }: HttpFault): string {
  const parts = [delay_ms ? `delayed by ${delay_ms} ms` : '', disconnect ? 'connection closed' : '']
  return [...parts, status === undefined ? '' : `answered with ${status}`].filter(Boolean).join(', ')
}

function faultError(status: number): LocalpostError {
  const message = `A fault of /dev/faults answers this request with ${status}. DELETE /dev/faults ends it.`
  const headers: Record<string, string> = status === 429 || status === 503 ? { 'retry-after': '1' } : {}
  return new LocalpostError(codes[status] ?? 'injected_fault', message, { headers, status })
}

const codes: Readonly<Record<number, ErrorCode>> = {
  429: 'rate_limit_exceeded',
  500: 'internal_error',
  503: 'service_unavailable',
}
