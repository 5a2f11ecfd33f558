/**
 * Targets as data. Ratios only, but where the promise itself is a time or a size.
 *
 * @typedef {ReturnType<typeof import('./lib/samples.mjs').createSamples>} Samples
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {number} [atLeast]
 * @property {number} [atMost]
 * @property {string} [unit]  Default: `×`, a ratio.
 * @property {(samples: Samples) => number} of  NaN: not measured in this run.
 * @property {(samples: Samples) => number} [byCpu]  The same ratio by CPU time of the servers' main threads, which a busy
 *   machine disturbs less. Told, not judged.
 */

/** @returns {Target} A rate that is to be so many times another contender's. */
export function rate(name, row, contender, other, atLeast) {
  return {
    name: `${name}: of ${other}`,
    atLeast,
    of: (m) => m.of(row, contender) / m.of(row, other),
    byCpu: (m) => m.of(row, other, 'mainUs') / m.of(row, contender, 'mainUs'),
  }
}

/** @returns {Target} A time that is to be at most so many times another one. */
export function time(name, row, contender, other, metric, atMost) {
  return { name, atMost, of: (m) => m.of(row, contender, metric) / m.of(row, other, metric) }
}

/** @returns {Target} A time or size that is to be at most so much. */
export function most(name, atMost, unit, row, contender, metric) {
  return { name, unit, atMost, of: (m) => m.of(row, contender, metric) }
}

/** @returns {Target} A time that is to be at most so much even at its worst. */
export function worst(name, atMost, unit, row, contender, metric) {
  return { name, unit, atMost, of: (m) => m.worst(row, contender, metric) }
}

/** Compares targets with what was measured. @param {Target[]} targets @param {Samples} samples */
export function judge(targets, samples) {
  return targets.map(({ name, atLeast, atMost, unit = '×', of, byCpu }) => {
    const measured = orNull(of(samples))
    const isMet =
      measured !== null &&
      (atLeast === undefined || measured >= atLeast) &&
      (atMost === undefined || measured <= atMost)
    return {
      name,
      wanted: `${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`} ${unit}`,
      measured,
      by_cpu: byCpu ? orNull(byCpu(samples)) : null,
      unit,
      verdict: measured === null ? 'not measured' : isMet ? 'pass' : 'miss',
    }
  })
}

function orNull(value) {
  return Number.isFinite(value) ? value : null
}
