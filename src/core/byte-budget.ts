import { isErrorOf, LocalpostError } from './errors.ts'

/** Counts bytes that are held in memory, up to a limit. */
export interface Budget {
  readonly used: number
  /** Counts bytes if there is room, or if nothing is counted yet. @returns Whether they are counted. */
  take(bytes: number): boolean
  takeAnyway(bytes: number): void
  give(bytes: number): void
}

/** @param limit  In bytes. */
export function createBudget(limit: number): Budget {
  let used = 0
  return {
    get used() {
      return used
    },
    take(bytes) {
      if (used > 0 && used + bytes > limit) return false
      used += bytes
      return true
    },
    takeAnyway: (bytes) => void (used += bytes),
    give: (bytes) => void (used -= bytes),
  }
}

/** The error for new work while there is no room. */
export function noRoom(message: string): LocalpostError {
  return new LocalpostError('service_unavailable', `${message} Try again in a moment.`, {
    cause: noRoomNow,
    headers: { 'retry-after': '1' },
  })
}

export function isNoRoom(error: unknown): boolean {
  return isErrorOf(error, 'service_unavailable') && error.cause === noRoomNow
}

const noRoomNow = 'no room'
