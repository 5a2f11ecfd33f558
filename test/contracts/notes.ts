import type { Collection, StoredRecord } from '../../src/store/store.ts'
/** The record of the suite, with the features of an email and a contact. */
export interface Note extends StoredRecord {
  group: string
  name: string
  due: number | null
  seen: boolean
  tags: string[]
}

/** A large collection with every kind of index. */
export const notes: Collection<Note> = {
  name: 'notes',
  large: true,
  indexes: {
    name: { on: ['group', 'name'], unique: true },
    due: { on: ['due', 'id'] },
    seen: { on: ['group', 'seen', 'name'] },
  },
}

/** A small collection. */
export const labels: Collection<StoredRecord & { title: string }> = {
  name: 'labels',
  indexes: { title: { on: ['title'], unique: true } },
}

/** A note whose members follow from its number, so that orders are easy to check. */
export function note(n: number, members: Partial<Note> = {}): Omit<Note, 'version'> {
  const digits = String(n).padStart(5, '0')
  return {
    id: `n_${digits}`,
    group: 'g',
    name: `name ${digits}`,
    due: null,
    seen: false,
    tags: [],
    ...members,
  }
}

/** Bytes that differ at every place. */
export function pattern(size: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  for (let i = 0, x = seed; i < size; i++) bytes[i] = (x = (x * 1103515245 + 12345) & 0x7fffffff) >>> 16
  return bytes
}

interface FlaggedNote extends StoredRecord {
  open: boolean
  name: string
  more: unknown
}

/** A collection with a flag that is a member of its records. */
export const flagged: Collection<FlaggedNote> = {
  name: 'flagged',
  large: true,
  indexes: { name: { on: ['name', 'id'] } },
  facts: {
    version: 1,
    flags: ['short', 'open'],
    members: ['open'],
    numbers: ['length'],
    texts: ['name'],
    of({ open, name }) {
      if (name === 'broken') throw new Error('the facts of this record cannot be determined')
      return {
        flags: (name.length < 8 ? 1 : 0) | (open ? 2 : 0),
        numbers: [name.length],
        texts: [[name]],
      }
    },
  },
}

export function flaggedNote(n: number, members: Partial<FlaggedNote> = {}): Omit<FlaggedNote, 'version'> {
  return { id: note(n).id, open: true, name: `name ${n}`, more: null, ...members }
}
