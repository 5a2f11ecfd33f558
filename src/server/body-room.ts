import { createBudget, noRoom } from '../core/byte-budget.ts'

/** The memory that the bodies of running requests share. */
export interface BodyRoom {
  /** Begins a request. */
  enter(): BodyShare
}

/** One request's share. */
export interface BodyShare {
  /** @throws service_unavailable when there is no room for so many bytes more. */
  take(bytes: number): void
  /** Gives all of it back: the request is answered. */
  leave(): void
}

/** @param limit  In bytes, of all bodies together. */
export function createBodyRoom(limit: number): BodyRoom {
  const budget = createBudget(limit)
  return {
    enter() {
      let taken = 0
      return {
        take(bytes) {
          if (!budget.take(bytes)) throw noRoom(`Other requests hold ${budget.used} bytes of bodies.`)
          taken += bytes
        },
        leave() {
          budget.give(taken)
          taken = 0
        },
      }
    },
  }
}
