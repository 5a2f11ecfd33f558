import type { Clock } from '../core/clock.ts'
import { nextTurn } from '../core/machine.ts'
import type { FindDue } from './due.ts'
import { Places } from './places.ts'
import { WakeTimer } from '../core/wake-timer.ts'

/** Runs work for each email that is due, a bounded number at once. */
export interface Queue {
  /** Tells the queue that an email may be due. Costs no search while ids of due emails are left in the queue. */
  wake(): void
  /** Resolves when no email is in progress, and none is due or none may begin. Later due times do not count. */
  idle(): Promise<void>
  /** Starts no more emails. @returns Resolves when those in progress have ended. */
  close(): Promise<void>
}

export interface QueueDeps {
  clock: Clock
  /** In the order of priority. */
  lanes: readonly Lane[]
  /** Whether emails may begin now. Wake the queue when this becomes true again. */
  mayBegin(): boolean
  /**
   * Works on one email. Never rejects.
   *
   * @param pause  Called with true when the email begins to wait for something that needs no place, so that another email
   *   takes its place; with false when it continues.
   * @returns When the email is due again: Unix time in milliseconds; null if it is not.
   */
  run(id: string, pause: (isPaused: boolean) => void): Promise<number | null>
  /** Called when the store cannot be searched. The search is repeated with growing waits. */
  onError(error: unknown): void
}

/** One kind of email. */
export interface Lane {
  findDue: FindDue
  /** An email of this lane begins only if fewer emails than this are in progress, those of all lanes together. */
  places: number
}

/**
 * Within it, `fill` is called after anything that may make an email due, free a place or allow emails to begin, and `settle`
 * after anything that may leave the queue idle. Both cost little and may be called at any time.
 */
export function createQueue({ clock, lanes: given, mayBegin, run, onError }: QueueDeps): Queue {
  const lanes = given.map((lane) => ({
    ...lane,
    ids: [] as string[],
    /** Whether the store may have due emails that are not in `ids`. */
    isDue: false,
  }))
  const places = new Places(Math.max(...lanes.map((lane) => lane.places)))
  const timer = new WakeTimer(clock, wake)
  /** Consecutive ones. */
  let failedSearches = 0
  /** Whether `fillUntilQuiet` runs: at most once at a time. */
  let isFilling = false
  /** Whether a place or an email may have become free since `fillPlaces` began. */
  let mustRunAgain = false
  let isClosed = false
  const idleWaiters: (() => void)[] = []

  function wake(): void {
    for (const lane of lanes) lane.isDue = true
    fill()
  }

  function fill(): void {
    mustRunAgain = true
    if (!isFilling && !isClosed && mayBegin()) void fillUntilQuiet()
  }

  async function fillUntilQuiet(): Promise<void> {
    isFilling = true
    try {
      // The answer to the request that added an email is written first, and one search finds all emails of the turn.
      await nextTurn()
      while (mustRunAgain && !isClosed) {
        mustRunAgain = false
        await fillPlaces()
      }
    } catch (error) {
      onError(error)
      timer.wakeAt(clock.now() + waitAfterErrors(++failedSearches))
    } finally {
      isFilling = false
      settle()
    }
  }

  /** One round: begins emails while there are places, then waits for the end of the round. */
  async function fillPlaces(): Promise<void> {
    places.beginRound()
    for (let id = await nextId(); id !== undefined && !isClosed && mayBegin(); id = await nextId()) begin(id)
    if (!isClosed) await places.endRound()
  }

  async function nextId(): Promise<string | undefined> {
    for (const lane of lanes) {
      if (!places.hasRoom(lane.places)) continue
      if (lane.ids.length === 0 && lane.isDue) await search(lane)
      const id = lane.ids.shift()
      if (id !== undefined) return id
    }
  }

  async function search(lane: (typeof lanes)[number]): Promise<void> {
    lane.isDue = false
    // Emails in progress are still due in the store, so the limit includes them.
    const limit = places.size + maxQueued
    const { ids, next } = await lane.findDue(limit)
    failedSearches = 0
    lane.ids = ids.filter((id) => !places.has(id))
    if (ids.length === limit) lane.isDue = true
    else timer.wakeAt(next)
  }

  function begin(id: string): void {
    places.begin(id, async () => {
      const due = await run(id, (isPaused) => {
        if (!isPaused) return places.resume(id)
        places.pause(id)
        fill()
      })
      places.end(id)
      if (due !== null) timer.wakeAt(due)
      fill()
      settle()
    })
  }

  /** Resolves the waiting calls of `idle` if their condition holds. */
  function settle(): void {
    const isQuiet = !isFilling && lanes.every(({ ids, isDue }) => ids.length === 0 && !isDue)
    if ((isQuiet || isClosed || !mayBegin()) && places.size === 0)
      for (const resolve of idleWaiters.splice(0)) resolve()
  }

  return {
    wake,
    idle() {
      return new Promise((resolve) => {
        idleWaiters.push(resolve)
        wake()
        if (isClosed || !mayBegin()) settle()
      })
    },
    async close() {
      isClosed = true
      timer.close()
      await places.close()
      settle()
    },
  }
}

/** How long to wait after this many consecutive errors, in milliseconds: 1 second, doubled each time, up to a minute. */
export function waitAfterErrors(errors: number): number {
  return Math.min(1000 * 2 ** (errors - 1), 60_000)
}

/** How many ids a search puts into the queue of a lane. */
const maxQueued = 50
