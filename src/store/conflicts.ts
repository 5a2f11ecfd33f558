import { LocalpostError, quote } from '../core/errors.ts'
import type { IndexKey } from './queries.ts'

/** @throws version_conflict unless the record exists and has this version. */
export function assertVersion(
  expected: number,
  current: { readonly version: number } | null,
  collection: string,
  id: string,
): void {
  if (current?.version === expected) return
  const found = current ? `has version ${current.version}` : 'was removed'
  const message = `The record ${quote(id)} of ${collection} ${found}, not version ${quote(expected)}. Read it again and repeat the change.`
  throw new LocalpostError('version_conflict', message)
}

/** The error of a record whose key in a unique index belongs to another one. */
export function keyConflict(
  collection: string,
  index: string,
  key: IndexKey,
  holder: string,
): LocalpostError {
  const message = `The ${index} ${quote(key.length === 1 ? key[0] : key)} of ${collection} is taken by ${quote(holder)}. Use another value.`
  return new LocalpostError('unique_conflict', message)
}
