import { invalidOption, LocalpostError } from '../../core/errors.ts'
import { corrupt } from '../io-errors.ts'

/** The version of the stored format that this program writes. Each file of records and the checkpoint name theirs. */
export const formatVersion = 1

/** Checks the version of the format of a file. @throws store_newer_schema when it is a later one. */
export function assertKnownFormat(found: unknown, place: string): void {
  if (typeof found !== 'number' || !Number.isInteger(found) || found < 1)
    throw corrupt(place, 'it does not contain the version of its format (`schema`).', restoreIt)
  if (found <= formatVersion) return
  const message = `${place} was written by a newer Localpost (its format has version ${found}, this Localpost supports up to ${formatVersion}). Use that version, or another folder; nothing was changed.`
  throw new LocalpostError('store_newer_schema', message)
}

const restoreIt = 'Restore it from a copy.'

/** The error for the data of a build from before the first release. @param place  The folder or the database. */
export function unreleasedFormat(place: string): LocalpostError {
  const message = `${place} was written by a build of Localpost from before its first release, and this version does not read its format. Use an empty place for the data, or that build; nothing was changed.`
  return invalidOption(message)
}
