/** The values that were used last, by key. */
export interface RecentValues<V> {
  get(key: string): V | undefined
  put(key: string, value: V): void
  /** Takes a value out. */
  take(key: string): V | undefined
}

/** @param limit  The size of all values; the longest unused are dropped. @param limitOfOne  Larger ones are not kept. */
export function createRecentValues<V>(
  limit: number,
  sizeOf: (value: V) => number,
  limitOfOne: number = limit,
): RecentValues<V> {
  /** In the order of use. */
  const values = new Map<string, V>()
  let size = 0

  function take(key: string): V | undefined {
    const value = values.get(key)
    if (value !== undefined && values.delete(key)) size -= sizeOf(value)
    return value
  }

  function put(key: string, value: V): void {
    take(key)
    if (sizeOf(value) > limitOfOne) return
    values.set(key, value)
    size += sizeOf(value)
    for (const oldest of values.keys()) {
      if (size <= limit) return
      take(oldest)
    }
  }

  return {
    get(key) {
      const value = take(key)
      if (value !== undefined) put(key, value)
      return value
    },
    put,
    take,
  }
}
