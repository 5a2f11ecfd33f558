import type { FactRow } from './facts.ts'
import type { IdRun } from './id-order.ts'
import type { Row } from './sorted-index.ts'

/** Successive records in the direction of the search. */
export interface SearchPart {
  readonly length: number
  exists(at: number): boolean
  row(at: number): Row
  facts(at: number): FactRow | null
  learn(at: number, facts: FactRow): void
}

export function* searchParts(
  runs: readonly IdRun[],
  backwards: boolean,
  size: () => number,
): Generator<SearchPart> {
  for (const run of backwards ? runs.toReversed() : runs) {
    const [from, to] = 'pack' in run ? [run.from, run.to] : [0, run.entries.length]
    for (let done = 0; done < to - from;) {
      const length = Math.min(size(), to - from - done)
      yield backwards ? searchPart(run, to - done - 1, -1, length) : searchPart(run, from + done, 1, length)
      done += length
    }
  }
}

function searchPart(run: IdRun, first: number, step: 1 | -1, length: number): SearchPart {
  if ('entries' in run) {
    const { entries } = run
    const entry = (at: number): (typeof entries)[number] | undefined => entries[first + step * at]
    return {
      length,
      exists: (at) => entry(at) !== undefined,
      row: (at) => entry(at) ?? { id: '' },
      facts: (at) => entry(at)?.facts ?? null,
      learn(at, facts) {
        const known = entry(at)
        if (known) known.facts ??= facts
      },
    }
  }
  const { pack } = run
  const facts: number[] = []
  return {
    length,
    exists: (at) => pack.has(first + step * at),
    row: (at) => ({ id: pack.id(first + step * at) }),
    // The same array for each row: it is looked at before the next is read.
    facts: (at) => (pack.facts?.read(first + step * at, facts) ? facts : null),
    learn(at, learned) {
      if (pack.facts?.get(first + step * at) === null) pack.facts.set(first + step * at, learned)
    },
  }
}
