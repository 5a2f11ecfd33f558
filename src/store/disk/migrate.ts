import { LocalpostError } from '../../core/errors.ts'
import { corrupt } from '../io-errors.ts'

/** A record as read, of unknown form. */
export type StoredObject = Readonly<Record<string, unknown>>

/**
 * Lifts records from one version of the stored form to the next. Works on one record at a time and without memory:
 * after a crash in the middle some files are lifted and some are not, and each says which.
 */
export interface Migration {
  /** The version that it makes, one more than the one it takes. The first form of all is version 1. */
  readonly to: number
  lift(collection: string, record: StoredObject): StoredObject
}

/** The migrations of this version of Localpost, in order. */
const migrations: readonly Migration[] = []

/** The stored form of this version, and the way to it from older ones. */
export interface Schema {
  readonly version: number
  /**
   * @param place  The file, for the error.
   * @throws store_newer_schema when the file is of a later version.
   */
  assertKnown(version: unknown, place: string): number
  lift(from: number, collection: string, record: StoredObject): StoredObject
}

/** @param list  In order, from the one that makes version 2. */
export function createSchema(list: readonly Migration[] = migrations): Schema {
  const version = 1 + list.length
  return {
    version,
    assertKnown(found, place) {
      if (typeof found !== 'number' || !Number.isInteger(found) || found < 1) {
        throw corrupt(place, 'it does not say the version of its form (`schema`).', 'Restore it from a copy.')
      }
      if (found <= version) return found
      const message = `${place} was written by a newer Localpost (its form is version ${found}, this one knows ${version}). Use that version, or another folder; nothing was changed.`
      throw new LocalpostError('store_newer_schema', message)
    },
    lift(from, collection, record) {
      let lifted = record
      for (const migration of list) if (migration.to > from) lifted = migration.lift(collection, lifted)
      return lifted
    },
  }
}
