import { LocalpostError } from '../../core/errors.ts'
import { corrupt } from '../io-errors.ts'

/** A record as read from the disk, in an unknown format. */
export type StoredObject = Readonly<Record<string, unknown>>

/**
 * Converts records from one version of the stored format to the next. It handles each record separately and keeps no
 * state: after a crash some files are converted and some are not, and each file says its version.
 */
export interface Migration {
  /** The version after the conversion; the version before it is one less. The first format is version 1. */
  readonly to: number
  lift(collection: string, record: StoredObject): StoredObject
}

/** The migrations of this version of Localpost, in order. */
const migrations: readonly Migration[] = []

/** The version of the stored format, and the conversion from older versions. */
export interface Schema {
  readonly version: number
  /**
   * @param place  The file's path, for the error message.
   * @throws store_newer_schema when the file is of a later version.
   */
  assertKnown(version: unknown, place: string): number
  lift(from: number, collection: string, record: StoredObject): StoredObject
}

/** @param list  The migrations in order, beginning with the one to version 2. */
export function createSchema(list: readonly Migration[] = migrations): Schema {
  const version = 1 + list.length
  return {
    version,
    assertKnown(found, place) {
      if (typeof found !== 'number' || !Number.isInteger(found) || found < 1) {
        throw corrupt(
          place,
          'it does not contain the version of its format (`schema`).',
          'Restore it from a copy.',
        )
      }
      if (found <= version) return found
      const message = `${place} was written by a newer Localpost (its format has version ${found}, this Localpost supports up to ${version}). Use that version, or another folder; nothing was changed.`
      throw new LocalpostError('store_newer_schema', message)
    },
    lift(from, collection, record) {
      let lifted = record
      for (const migration of list) if (migration.to > from) lifted = migration.lift(collection, lifted)
      return lifted
    },
  }
}
