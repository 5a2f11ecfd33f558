import type { LocalpostError } from '../../core/errors.ts'
import { corrupt } from '../io-errors.ts'
import type { Checkpoint } from './checkpoint-text.ts'
import type { SnapshotFile } from './snapshot-files.ts'
import type { ParsedSnapshot } from './snapshot-text.ts'

/** The files that a checkpoint needs and that are not there. */
export function missingFrom(checkpoint: Checkpoint, found: readonly SnapshotFile[]): string[] {
  const names = new Set(found.map(({ name }) => name))
  return checkpoint.files.filter((name) => !names.has(name))
}

/**
 * Why a file is refused as an older copy; null if it contains every commit that the checkpoint needs. A newer file is
 * normal: a checkpoint may have been interrupted. A file that does not say what it contains is refused too, because it
 * could be an older copy.
 */
export function olderThan(
  { contains }: Checkpoint,
  name: string,
  { seq }: Pick<ParsedSnapshot, 'seq'>,
): { what: string; fix: string } | null {
  const needed = contains[name]
  if (needed === undefined || (seq !== undefined && seq >= needed)) return null
  const restore = 'Restore the whole folder from one copy.'
  if (seq !== undefined) {
    const what = `it is older than the checkpoint: it contains the commits up to ${seq}, but the checkpoint needs commit ${needed}.`
    return { what, fix: restore }
  }
  return {
    what: `it may be older than the checkpoint, which needs commit ${needed}: its line \`"seq"\` is missing.`,
    fix: `${restore} If the file is no older copy, put the line \`"seq":${needed},\` before its last line, and replace the last line by \`}\`.`,
  }
}

export const missingFix: string = 'Restore it from a copy of the whole folder.'

export function missingFile(path: string): LocalpostError {
  return corrupt(path, 'this file of records is missing.', missingFix)
}
