import { factsOf } from '../facts.ts'
import { misuse } from '../io-errors.ts'
import { keyOf } from '../keys.ts'
import type { Facts, FactValues, IndexKey } from '../queries.ts'
import { type Collection, type StoredRecord, recordMembers } from '../store.ts'
import { encodeKey } from './index-keys.ts'
import { joinTexts } from './joined-texts.ts'

/** The records of a collection in one partition: what most reads and writes are about. */
export interface Shard {
  readonly table: Table
  readonly partition: string
}

/** A column in addition to those of every table: one for each index and each fact. */
export interface Column {
  readonly name: string
  readonly type: 'bytea' | 'int4' | 'float8' | 'text'
  valueOf(derived: Derived): ColumnValue
}

type ColumnValue = Buffer | number | string | null

/** What is derived from a record for its columns: its keys in the order of the indexes, and its facts if they are known. */
interface Derived {
  readonly keys: readonly (IndexKey | null)[]
  readonly facts: FactValues | null
}

/** An index of a collection, which has a column of the table for its keys. */
export interface TableIndex {
  readonly name: string
  readonly column: string
  /** The name of the index in the database. */
  readonly stored: string
  readonly on: readonly string[]
  readonly isUnique: boolean
}

/** A record as its table holds it; the values of the columns are in their order. */
export interface StoredRow {
  readonly id: string
  readonly version: number
  /** The record as JSON. */
  readonly text: string
  readonly keys: readonly (IndexKey | null)[]
  readonly values: readonly ColumnValue[]
}

/** How the records of a collection are stored: the table, its columns, and the values of a record in them. */
export class Table {
  /** The name of the collection. */
  readonly name: string
  readonly collection: Collection<StoredRecord>
  readonly facts: Facts<StoredRecord> | undefined
  readonly indexes: readonly TableIndex[]
  /** First those of the indexes, in their order. */
  readonly columns: readonly Column[]
  /** The name of the table within its schema. */
  readonly stored: string
  /** The name in SQL, with the schema. */
  readonly sql: string
  /** The table of the texts of the records, named as this one, and their parts; see {@link partColumn}. Null without texts. */
  readonly texts: {
    readonly sql: string
    readonly stored: string
    readonly version: number
    readonly parts: readonly string[]
  } | null

  constructor(collection: Collection<StoredRecord>, schema: string) {
    const { name, indexes, facts, texts } = collection
    this.name = name
    this.collection = collection
    this.facts = facts
    this.stored = `records_${name}`
    this.sql = `"${schema}"."${this.stored}"`
    this.texts = texts ? { sql: `"${schema}"."texts_${name}"`, stored: `texts_${name}`, ...texts } : null
    this.indexes = Object.entries(indexes).map(([index, { on, unique = false }]) => {
      return { name: index, column: `key_${index}`, stored: `${name}_${index}`, on, isUnique: unique }
    })
    this.columns = [
      ...this.indexes.map(({ column }, at) =>
        columnOf(column, 'bytea', ({ keys }) => (keys[at] ? encodeKey(keys[at]) : null)),
      ),
      ...(facts ? factColumns(facts) : []),
    ]
  }

  /** Identifies how the columns are derived from a record. If it changed, the columns of stored records are computed again. */
  get signature(): string {
    const { version, flags, numbers, texts } = this.facts ?? { version: 0, flags: [], numbers: [], texts: [] }
    const indexes = this.indexes.map(({ name, on, isUnique }) => [name, on, isUnique])
    return JSON.stringify([derivation, indexes, version, flags, numbers, texts])
  }

  /** @throws internal_error if the collection has no such index. */
  index(name: string): TableIndex {
    const index = this.indexes.find((one) => one.name === name)
    if (!index) throw misuse(`The collection ${this.name} has no index ${JSON.stringify(name)}.`)
    return index
  }

  /** @param text  The JSON of the record. */
  rowOf(record: StoredRecord, text: string): StoredRow {
    const keys = this.indexes.map(({ on }) => keyOf(recordMembers(record), on))
    const facts = this.facts ? factsOf(this.facts, record) : null
    const values = this.columns.map((column) => column.valueOf({ keys, facts }))
    return { id: record.id, version: record.version, text, keys, values }
  }
}

/** The first columns of every table of records, in this order, with their types. */
export const ownColumns = {
  partition: 'text COLLATE "C" NOT NULL',
  id: 'text COLLATE "C" NOT NULL',
  version: 'int4 NOT NULL',
  record: 'json NOT NULL',
} as const

/** The column of a part of the texts. */
export const partColumn = (at: number): string => `part_${at}`

/** The version of how {@link Table} derives columns: raise it when the same definition gives other values. */
const derivation = 1

const columnOf = (name: string, type: Column['type'], valueOf: Column['valueOf']): Column => {
  return { name, type, valueOf }
}

function factColumns({ numbers, texts }: Facts<StoredRecord>): Column[] {
  return [
    columnOf('flags', 'int4', ({ facts }) => facts && facts.flags),
    ...numbers.map((_, at) =>
      columnOf(`number_${at}`, 'float8', ({ facts }) => facts && (facts.numbers[at] ?? 0)),
    ),
    ...texts.map((_, at) =>
      columnOf(`text_${at}`, 'text', ({ facts }) => facts && joinTexts(facts.texts[at] ?? [])),
    ),
  ]
}
