import type { BroadcastMoment } from './types.ts'

type Counted = Exclude<keyof BroadcastMoment, 'at'>

/** The counts of one interval, before anything is counted. */
export const allZeros: Readonly<Record<Counted, number>> = { delivered: 0, opened: 0, clicked: 0, bounced: 0 }
/** The names of {@link allZeros}. */
export const countedStatuses: readonly Counted[] = Object.keys(allZeros) as Counted[]

/** Counts events by time, in at most {@link maxMoments} spans of equal length, however long it takes. */
export interface Timeline {
  add(kind: Counted, at: number): void
  result(): { span_ms: number; moments: BroadcastMoment[] }
}

/** @param start  When the first span begins: Unix time in milliseconds. Earlier events are counted there. */
export function createTimeline(start: number): Timeline {
  let [spanMs = 1000] = spansMs
  let moments: BroadcastMoment[] = []

  function momentAt(at: number): BroadcastMoment {
    // A record that a person edited may have such a time; its events are not counted.
    if (!Number.isFinite(at - start)) return { at: start, ...allZeros }
    while (at - start >= spanMs * maxMoments) widen()
    const wanted = Math.max(0, Math.floor((at - start) / spanMs))
    for (;;) {
      const moment = moments[wanted]
      if (moment) return moment
      moments.push({ at: start + moments.length * spanMs, ...allZeros })
    }
  }

  function widen(): void {
    const before = moments
    spanMs = spansMs.find((next) => next > spanMs) ?? spanMs * 2
    moments = []
    for (const one of before) {
      const wide = momentAt(one.at)
      for (const kind of countedStatuses) wide[kind] += one[kind]
    }
  }

  return {
    add(kind, at) {
      momentAt(at)[kind]++
    },
    result: () => ({ span_ms: spanMs, moments }),
  }
}

/** The maximum number of bars in a small chart. */
export const maxMoments = 48

const [minute, hour, day] = [60 * 1000, 60 * 60 * 1000, 24 * 60 * 60 * 1000]
/** From a second to a week, in milliseconds. Each is a multiple of the one before; after the last they double. */
const spansMs = [1000, 5000, 15_000, minute, 5 * minute, 15 * minute, hour, 6 * hour, day, 7 * day]
