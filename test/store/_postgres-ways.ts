import { type Change, type Collection, insert, type StoredRecord } from '../../src/store/store.ts'
import { note, notes } from '../contracts/notes.ts'

type Line = StoredRecord & { words: string }

/** A collection whose keys need not be unique. */
export const lines: Collection<Line> = { name: 'lines', indexes: { words: { on: ['words'] } } }

export const line = (n: number, words = 'some'): Omit<Line, 'version'> => ({ id: `l_${n}`, words })

/** A way in which a store in PostgreSQL stores a commit of a new record. */
export interface Way {
  readonly collection: Collection<StoredRecord>
  /** The id of a record by its number. */
  id(n: number): string
  insert(n: number): Change
}

/** All of them: records without unique keys need no transaction in which they are checked. */
export const ways: Readonly<Record<string, Way>> = {
  'one statement': {
    collection: lines,
    id: (n) => line(n).id,
    insert: (n) => insert(lines, line(n)),
  },
  'a transaction': {
    collection: notes,
    id: (n) => note(n).id,
    insert: (n) => insert(notes, note(n)),
  },
}
