import { createBudget, noRoom } from '../core/byte-budget.ts'
import type { Clock } from '../core/clock.ts'

/** The memory that the bodies of running requests share. */
export interface BodyRoom {
  /** Begins a request. */
  enter(): BodyShare
}

/** The share of one request. */
export interface BodyShare {
  /** @returns Whether there is room for so many bytes more. */
  take(bytes: number): boolean
  /**
   * Makes room for a long body, instead of `take` for the rest of it. Bodies wait for each other in order of arrival.
   *
   * @returns Undefined if there is room at once; else it settles when there is.
   * @throws service_unavailable when it waited too long, or when too many wait.
   */
  reserve(bytes: number): Promise<void> | undefined
  /** Gives all of it back: the request is answered. */
  leave(): void
}

/** @param limit  In bytes, of all bodies together. A single body may be larger. */
export function createBodyRoom(limit: number, clock: Pick<Clock, 'after'>): BodyRoom {
  const budget = createBudget(limit)
  /** How many long bodies have room. */
  let long = 0
  const waiting = new Map<BodyShare, () => boolean>()

  function wake(): void {
    for (const [share, begin] of waiting) {
      if (!begin()) return
      waiting.delete(share)
    }
  }

  return {
    enter() {
      let taken = 0
      let isLong = false
      let stopWaiting: (() => void) | undefined
      /** Takes room for a long body, in place of what it has taken so far. */
      const claim = (bytes: number): boolean => {
        budget.give(taken)
        if (!budget.take(bytes)) {
          // The first long body always gets its room, so that long bodies cannot block each other.
          const isFirst = long === 0
          budget.takeAnyway(isFirst ? bytes : taken)
          if (!isFirst) return false
        }
        taken = bytes
        isLong = true
        long++
        return true
      }
      const share: BodyShare = {
        take(bytes) {
          if (!budget.take(bytes)) return false
          taken += bytes
          return true
        },
        reserve(bytes) {
          if (waiting.size === 0 && claim(bytes)) return undefined
          if (waiting.size >= maxWaiting)
            return Promise.reject(noRoom(`${waiting.size} other large requests wait.`))
          return new Promise((resolve, reject) => {
            const cancel = clock.after(patienceMs, () => {
              waiting.delete(share)
              reject(noRoom(`The request waited ${patienceMs / 1000} seconds for others.`))
              wake()
            })
            stopWaiting = () => {
              cancel()
              waiting.delete(share)
            }
            waiting.set(share, () => {
              if (!claim(bytes)) return false
              cancel()
              resolve()
              return true
            })
          })
        },
        leave() {
          stopWaiting?.()
          budget.give(taken)
          if (isLong) long--
          taken = 0
          isLong = false
          wake()
        },
      }
      return share
    },
  }
}

/** How long a long body waits for others, in milliseconds. */
const patienceMs = 30_000
const maxWaiting = 100
