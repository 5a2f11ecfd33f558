import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { isRecord } from '../core/members.ts'
import type { PartitionedStore } from './partitioned-store.ts'

/** Marks a folder or a database as incomplete while a copy or a salvage fills it. */
export interface Mark {
  readonly by: 'copy' | 'salvage'
  /** The source, without a password. */
  readonly from: string
}

/** A store that a copy or a salvage fills. Until `finish` has resolved, only the same work may open it again. */
export interface Filling {
  readonly store: PartitionedStore
  /** Whether it has the mark. One that already had data does not, until `begin`. */
  readonly isMarked: boolean
  /** Sets the mark. Call it before the first record is stored; the mark is on the disk when it resolves. */
  begin(): Promise<void>
  /** Closes the store, and removes the mark after everything is on the disk. Call it when the content is known to be whole. */
  finish(): Promise<void>
}

/** A mark as it is stored. */
export function markText({ by, from }: Mark): string {
  return `${JSON.stringify({ by, from })}\n`
}

/** A mark that was found. Its text may be unreadable: the place is incomplete in any case. */
export type FoundMark = Mark | 'unreadable'

/** Reads a stored mark. */
export function parseMark(text: string): FoundMark {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value)) return 'unreadable'
    const { by, from } = value
    if ((by === 'copy' || by === 'salvage') && typeof from === 'string') return { by, from }
  } catch {
    // An edited mark is still a mark.
  }
  return 'unreadable'
}

/** Whether this work may continue in a place with this mark. A copy compares everything at the end, whatever its source. */
export function continues(found: FoundMark, own: Mark): boolean {
  if (found === 'unreadable') return true
  return found.by === own.by && (own.by === 'copy' || found.from === own.from)
}

/** What a mark means, and what to do: for errors and for `doctor`. */
export function describeUnfinished(place: string, found: FoundMark): { message: string; fix: string } {
  const { work, command } = workOf(found)
  return {
    message: `${place} holds only a part of its data. ${work} into it is still running, or was interrupted.`,
    fix: `Run ${command} again to finish it, or remove what is there and use another place.`,
  }
}

function workOf(found: FoundMark): { work: string; command: string } {
  if (found === 'unreadable') return { work: 'A copy or a salvage', command: 'the same command' }
  const from = quote(found.from)
  return found.by === 'copy'
    ? { work: `A copy from ${from}`, command: '`localpost copy` with the same --from and --to' }
    : { work: `A salvage of ${from}`, command: '`localpost doctor --salvage` with the same --dir and --to' }
}

/** The error of a store that a copy or a salvage has not filled. */
export function unfinishedError(place: string, found: FoundMark): LocalpostError {
  const { message, fix } = describeUnfinished(place, found)
  return new LocalpostError('store_incomplete', `${message} ${fix} Nothing was changed.`)
}
