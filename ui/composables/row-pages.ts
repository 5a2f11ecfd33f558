import type { ShallowRef } from 'vue'
import { afterPage, isWanted, type ListWindow, missingPart, type Part, type Range } from './list-window.ts'

export interface RowPagesParts {
  rows: ShallowRef<ListWindow>
  /** The number of rows, loaded or not. */
  count(): number
  /** Whether rows can be fetched: there is a list, and the last load succeeded. */
  isReady(): boolean
  /** Calls the function when no other rows are being fetched, with a signal that ends when the list becomes another one. */
  inLine(fetch: (signal: AbortSignal) => Promise<void>): Promise<void>
  /** Fetches rows; null if they could not be fetched, or are not wanted any more. */
  fetch(part: Part, signal: AbortSignal): Promise<ListWindow | null>
}

/** Loads the rows around the positions that a person looks at. */
export interface RowPages {
  /** The positions that were asked for last: those in sight and around them. */
  readonly wanted: Range
  /** Loads the rows at these positions, and resolves when they are loaded, or others are wanted instead. */
  show(from: number, to: number): Promise<void>
  /** Wants no rows until `show` is called, because the list becomes another one. */
  reset(): void
}

/**
 * Fetches one page after the other, each for the positions that are wanted then. A page that is not wanted any more is
 * cancelled when the list rests: one that is scrolled on and on would otherwise cancel every page before its answer.
 */
export function createRowPages({ rows, count, isReady, inLine, fetch }: RowPagesParts): RowPages {
  let shown = none
  /** The part of these that is still to be loaded; none if a page brought nothing new. */
  let wanted = none
  let waiting: { range: Range; done: () => void }[] = []
  let isLoading = false
  let asked: { part: Part; controller: AbortController } | null = null
  let resting: ReturnType<typeof setTimeout> | undefined

  function settle(isOver: (range: Range) => boolean): void {
    const over = waiting.filter(({ range }) => isOver(range))
    waiting = waiting.filter((one) => !over.includes(one))
    for (const one of over) one.done()
  }

  async function load(): Promise<void> {
    isLoading = true
    for (let isDone = false; !isDone;) {
      await inLine(async (signal) => {
        const part = isReady() ? missingPart(rows.value, wanted) : null
        isDone = part === null
        if (part) await add(part, signal)
      })
    }
    isLoading = false
    settle(() => true)
  }

  async function add(part: Part, signal: AbortSignal): Promise<void> {
    const controller = new AbortController()
    asked = { part, controller }
    const asking = wanted
    const page = await fetch(part, AbortSignal.any([signal, controller.signal]))
    asked = null
    if (!page) return
    const before = rows.value
    const after = afterPage(before, page, wanted)
    // If the page brought nothing new, the list has changed meanwhile. The refresh after that change loads the rows.
    const isSame = after.first === before.first && after.emails.length === before.emails.length
    wanted = { ...wanted, to: isSame && wanted === asking ? -1 : Math.min(wanted.to, count() - 1) }
    // Each change of the rows is followed by `show`, which would ask for the same page for ever.
    if (isSame) return
    rows.value = after
    settle((range) => missingPart(after, range) === null)
  }

  function cancelUnwanted(): void {
    if (asked && !isWanted(asked.part, wanted)) asked.controller.abort()
  }

  return {
    get wanted() {
      return shown
    },
    async show(from, to) {
      wanted = { from: Math.max(0, from), to: Math.min(to, count() - 1) }
      shown = wanted
      clearTimeout(resting)
      if (asked && !isWanted(asked.part, wanted)) resting = setTimeout(cancelUnwanted, restMs)
      const range = wanted
      settle((other) => other.to < range.from || other.from > range.to)
      if (!isReady() || missingPart(rows.value, range) === null) return
      const done = new Promise<void>((resolve) => void waiting.push({ range, done: resolve }))
      if (!isLoading) void load()
      await done
    },
    reset() {
      shown = none
      wanted = none
    },
  }
}

const none: Range = { from: 0, to: -1 }
/** How long a list was not scrolled that rests. */
const restMs = 60
