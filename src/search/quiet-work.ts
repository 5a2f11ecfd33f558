import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'

/** Background work that pauses while mail arrives. */
export interface QuietWork {
  /** Reports that mail arrived: the work continues when no more comes, or after a second in short slices. */
  arrived(): void
  /** Reports that a search begins: work that goes on pauses as it does while mail arrives. */
  pause(): void
  /** Reports that there is work although no mail arrived. */
  begin(): void
  close(): void
}

export interface QuietWorkDeps {
  clock: Clock
  /** Does one step. @returns Whether there was anything to do. */
  step: () => Promise<boolean>
  /** Called with true when the work has gone on for some time while no mail arrives, and with false when that ends. */
  onLongWork?: ((isRunning: boolean) => void) | undefined
}

export function startQuietWork({ clock, step, onLongWork = () => {} }: QuietWorkDeps): QuietWork {
  let isClosed = false
  /** `waiting` while a timer runs; `working` from its end to that of the slice. */
  let state: 'idle' | 'waiting' | 'working' = 'idle'
  /** When mail arrived last, or a search asked for a pause. */
  let lastArrival = clock.now()
  /** When the state became `waiting`. */
  let waitingSince = 0
  let cancelTimer = (): void => {}
  /** Whether there was something new since the last step began. */
  let hasNewWork = false

  /** Begins to wait; does nothing unless the work is idle, because a running slice sees the new work itself. */
  function plan(delayMs: number): void {
    if (isClosed || state !== 'idle') return
    state = 'waiting'
    waitingSince = clock.now()
    cancelTimer = clock.after(delayMs, onTimer)
  }

  function onTimer(): void {
    const now = clock.now()
    const quietIn = lastArrival + quietMs - now
    if (quietIn > 0 && now - waitingSince < patienceMs) {
      cancelTimer = clock.after(quietIn, onTimer)
      return
    }
    state = 'working'
    void work(now).then((delayMs) => {
      state = 'idle'
      if (delayMs !== null || hasNewWork) plan(delayMs ?? quietMs)
    })
  }

  /** @returns The delay before the next slice in milliseconds; null when everything is done. */
  async function work(began: number): Promise<number | null> {
    let isLong = false
    try {
      for (;;) {
        hasNewWork = false
        if (!(await step())) return null
        const now = clock.now()
        if (now - lastArrival < quietMs && now - began >= quietSliceMs) return quietMs
        if (isLong || now - began < longMs) continue
        isLong = true
        onLongWork(true)
      }
    } catch (error) {
      // Only retried, because a failing store reports its error to clients that submit mail.
      return isErrorOf(error, 'closed') ? null : retryMs
    } finally {
      if (isLong) onLongWork(false)
    }
  }

  plan(quietMs)
  return {
    arrived() {
      lastArrival = clock.now()
      hasNewWork = true
      plan(quietMs)
    },
    pause() {
      lastArrival = clock.now()
    },
    begin() {
      hasNewWork = true
      plan(quietMs)
    },
    close() {
      isClosed = true
      cancelTimer()
    },
  }
}

/** How long no mail must have arrived before the work begins. */
const quietMs = 100
/** If mail arrives without a pause, a slice is done after this time. */
const patienceMs = 1000
/** How long a slice of the work may take. */
export const quietSliceMs = 20
/** Work that takes longer than this is reported to `onLongWork`. */
const longMs = 250
const retryMs = 5000
