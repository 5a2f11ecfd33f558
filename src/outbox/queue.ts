import type { Clock } from '../core/clock.ts'
import { nextTurn } from '../core/machine.ts'
import type { FindDue } from './due.ts'
import { Round } from './round.ts'

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

export function createQueue({ clock, lanes: given, mayBegin, run, onError }: QueueDeps): Queue {
  const lanes = given.map((lane) => ({
    ...lane,
    ids: [] as string[],
    /** Whether the store may have due emails that are not in `ids`. */
    isDue: false,
  }))
  const maxPlaces = Math.max(...lanes.map(({ places }) => places))
  const inProgress = new Map<string, Promise<void>>()
  /** The number of emails in progress that are not paused. */
  let busy = 0
  let failedSearches = 0
  let isFilling = false
  /** Whether a place or an email may have become free since `fillPlaces` began. */
  let isAsked = false
  let isClosed = false
  /** When the timer wakes the queue. */
  let timerAt = Number.POSITIVE_INFINITY
  let cancelTimer = (): void => {}
  const round = new Round()
  const idleWaiters: (() => void)[] = []

  function wake(): void {
    for (const lane of lanes) lane.isDue = true
    fill()
  }

  function wakeAt(time: number): void {
    const now = clock.now()
    if (time <= now) return wake()
    // If the time has passed and its timer has not run, the clock was set.
    if (time === Number.POSITIVE_INFINITY || (timerAt <= time && timerAt > now)) return
    cancelTimer()
    timerAt = time
    cancelTimer = clock.after(time - now, () => {
      timerAt = Number.POSITIVE_INFINITY
      wake()
    })
  }

  /** Begins emails while places are free, if emails may begin. If it is running already, it looks once more. */
  function fill(): void {
    isAsked = true
    if (!isFilling && !isClosed && mayBegin()) void fillUntilQuiet()
  }

  async function fillUntilQuiet(): Promise<void> {
    isFilling = true
    try {
      // The answer to the request that added an email is written first, and one search finds all emails of the turn.
      await nextTurn()
      while (isAsked && !isClosed) {
        isAsked = false
        await fillPlaces()
      }
    } catch (error) {
      onError(error)
      wakeAt(clock.now() + waitAfterErrors(++failedSearches))
    } finally {
      isFilling = false
      settle()
    }
  }

  async function fillPlaces(): Promise<void> {
    round.clear()
    for (let id = await nextId(); id !== undefined && !isClosed && mayBegin(); id = await nextId()) begin(id)
    if (isClosed) return
    const isAlmostFull = busy > maxPlaces - minFree
    if (isAlmostFull) round.clear()
    if (isAlmostFull || round.size > 0) await round.end()
  }

  async function nextId(): Promise<string | undefined> {
    for (const lane of lanes) {
      if (busy >= lane.places || inProgress.size >= maxInProgress) continue
      if (lane.ids.length === 0 && lane.isDue) await search(lane)
      const id = lane.ids.shift()
      if (id !== undefined) return id
    }
  }

  async function search(lane: (typeof lanes)[number]): Promise<void> {
    lane.isDue = false
    // Emails in progress are still due in the store, so the limit includes them.
    const limit = inProgress.size + maxQueued
    const { ids, next } = await lane.findDue(limit)
    failedSearches = 0
    lane.ids = ids.filter((id) => !inProgress.has(id))
    if (ids.length === limit) lane.isDue = true
    else wakeAt(next)
  }

  function begin(id: string): void {
    let holds = 0
    const hold = (places: 0 | 1): void => {
      busy += places - holds
      holds = places
      if (places === 0) round.leave(id)
    }
    hold(1)
    round.join(id)
    const work = run(id, (isPaused) => {
      hold(isPaused ? 0 : 1)
      if (isPaused) fill()
    })
    const ended = work.then((due) => {
      hold(0)
      inProgress.delete(id)
      if (due !== null) wakeAt(due)
      fill()
      settle()
    })
    inProgress.set(id, ended)
  }

  /** Resolves the waiting calls of `idle` if their condition holds. */
  function settle(): void {
    const isQuiet = !isFilling && lanes.every(({ ids, isDue }) => ids.length === 0 && !isDue)
    if ((isQuiet || isClosed || !mayBegin()) && inProgress.size === 0)
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
      cancelTimer()
      round.stop()
      await Promise.all(inProgress.values())
      settle()
    },
  }
}

/** How long to wait after this many consecutive errors, in milliseconds: 1 second, doubled each time, up to a minute. */
export function waitAfterErrors(errors: number): number {
  return Math.min(1000 * 2 ** (errors - 1), 60_000)
}

/** With fewer free places than this, the next emails always wait as long as a round may take. */
const minFree = 8
/** How many ids a search puts into the queue of a lane. */
const maxQueued = 50
/** The maximum number of emails in progress, including the paused ones: this many servers of attachments may hang. */
const maxInProgress = 512
