/** Everything that was measured in one run, and its medians. */

/** @param {number[]} values  Not empty. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Samples by row, contender and metric: one for each round. */
export function createSamples() {
  /** @type {Record<string, Record<string, Record<string, number[]>>>} */
  const all = {}
  return {
    all,
    /** Adds one round's values; what could not be measured is left out. */
    add(row, contender, values) {
      const metrics = ((all[row] ??= {})[contender] ??= {})
      for (const [metric, value] of Object.entries(values)) {
        if (typeof value === 'number' && Number.isFinite(value)) (metrics[metric] ??= []).push(value)
      }
    },
    /** The median, or NaN where nothing was measured. */
    of(row, contender, metric = 'perSecond') {
      const values = all[row]?.[contender]?.[metric]
      return values ? median(values) : Number.NaN
    },
    /** The largest value, or NaN: for what must not happen even once. */
    worst(row, contender, metric) {
      const values = all[row]?.[contender]?.[metric]
      return values ? Math.max(...values) : Number.NaN
    },
  }
}
