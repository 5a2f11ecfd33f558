import { codeOf, errorTable, LocalpostError, messageOf } from '../core/errors.ts'

/**
 * Converts an error of the file system into one of the store.
 *
 * @param doing  What was being done and to which file, as the beginning of a sentence: `Writing /data/log/000001.log`.
 * @returns store_full, store_read_only or store_failed; an error of Localpost itself is returned unchanged.
 */
export function storeFault(error: unknown, doing: string): LocalpostError {
  if (error instanceof LocalpostError) return error
  const kind = faultKinds.get(codeOf(error)) ?? 'store_failed'
  return new LocalpostError(kind, `${doing} failed: ${messageOf(error)}. ${errorTable[kind].fix}`, {
    cause: error,
  })
}

/** The error for a file that cannot be read. Nothing was changed when it is thrown. It always says how to save the data. */
export function corrupt(place: string, what: string, fix: string, cause?: unknown): LocalpostError {
  const message = `${place}: ${what} ${fix} ${salvageHint} Nothing was overwritten.`
  return new LocalpostError('store_corrupt', message, { cause })
}

/** Advice if there is no copy of a damaged file. */
export const salvageHint = 'To save what is intact, run `localpost doctor --salvage --to <new folder>`.'

/** The error of a caller that breaks the store's contract: a fault in this program, not of the medium or a user. */
export function misuse(message: string): LocalpostError {
  return new LocalpostError('internal_error', message)
}

export function closedError(): LocalpostError {
  return new LocalpostError('closed', 'This instance is closed; create a new one.')
}

/** The first of many names, and how many more there are if these are several. */
export function listed(names: readonly string[], most: number = listedNames): string {
  const more = names.length - most
  return more > 1 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ')
}

export const listedNames = 3

const faultKinds: ReadonlyMap<string | undefined, 'store_full' | 'store_read_only'> = new Map([
  ['ENOSPC', 'store_full'],
  ['EDQUOT', 'store_full'],
  ['EACCES', 'store_read_only'],
  ['EPERM', 'store_read_only'],
  ['EROFS', 'store_read_only'],
])
