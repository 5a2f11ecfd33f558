import { isErrorOf, LocalpostError } from './errors.ts'

/** Counts bytes that are held in memory, up to a limit. */
export interface Budget {
  readonly used: number
  /**
   * Counts these bytes, if they have room. Something larger than the whole has room where nothing else is held.
   *
   * @returns Whether they were counted; give them back when they are no longer held.
   */
  take(bytes: number): boolean
  /** Counts these bytes, whether or not they have room. */
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

/** The error of new work for which there is no room now. */
export function noRoom(message: string): LocalpostError {
  return new LocalpostError('service_unavailable', `${message} Try again in a moment.`, {
    cause: noRoomNow,
    headers: { 'retry-after': '1' },
  })
}

/** Whether an error says that there is no room now. */
export function isNoRoom(error: unknown): boolean {
  return isErrorOf(error, 'service_unavailable') && error.cause === noRoomNow
}

const noRoomNow = 'no room'
