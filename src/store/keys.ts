import type { IndexKey } from './queries.ts'

type KeyValue = IndexKey[number]

/** A record's key in an index, or null if one of the members is null, absent, or of a type without an order. */
export function keyOf(record: Readonly<Record<string, unknown>>, on: readonly string[]): IndexKey | null {
  const key: KeyValue[] = []
  for (const member of on) {
    const value = record[member]
    if (typeof value === 'string' || typeof value === 'boolean') key.push(value)
    else if (typeof value === 'number' && Number.isFinite(value)) key.push(value)
    else return null
  }
  return key
}

/** Orders two keys by the values that both have: a key and its own beginning are equal. */
export function compareKeys(a: IndexKey, b: IndexKey): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const order = compareValues(a[i] ?? '', b[i] ?? '')
    if (order !== 0) return order
  }
  return 0
}

/** Orders two values: booleans, numbers, strings; among them false before true, numbers by value, strings by code unit. */
export function compareValues(a: KeyValue, b: KeyValue): number {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0
  return rank(a) - rank(b)
}

export function sameKey(a: IndexKey | null, b: IndexKey | null): boolean {
  if (a === null || b === null) return a === b
  return a.length === b.length && compareKeys(a, b) === 0
}

function rank(value: KeyValue): number {
  return typeof value === 'boolean' ? 0 : typeof value === 'number' ? 1 : 2
}
