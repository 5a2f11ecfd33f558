import { randomUUID } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import type { LocalpostOptions } from '../../src/options/options.ts'
import { openLogStore } from '../../src/store/disk/open.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Collection, StoredRecord } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { makeFolder, removeFolder, temporaryFolder } from './folder.ts'
import type { AdapterName } from './projects.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The adapter on which the tests of a project run. Default: memory. */
    adapter?: AdapterName
    /** The URL of a database, if the adapter needs one; see `setup-postgres.ts`. */
    database?: string
  }
}

/** An empty place for the data of an instance. */
export interface Place {
  /** The options that name it. */
  readonly options: LocalpostOptions
  remove(): void
}

/** An adapter of the store, as tests use it: each time with a new empty place for the data. */
export interface Adapter {
  /** In titles, as `in a folder`. */
  readonly title: string
  readonly needsDatabase?: boolean
  /** Makes a place for an instance. @param database  The URL of a database. */
  place(database: string | undefined): Place
  /** Opens a store of these collections, within a test. @param database  As for `place`. */
  open(
    collections: readonly Collection<StoredRecord>[],
    database: string | undefined,
  ): Promise<PartitionedStore>
}

/** Every adapter of the store: the contract suites run on each, and so do the suites of `onEachAdapter`. */
export const adapters: Readonly<Record<AdapterName, Adapter>> = {
  memory: {
    title: 'in memory',
    place: () => ({ options: {}, remove: nothing }),
    open: (collections) => openMemoryStore({ collections }),
  },
  folder: {
    title: 'in a folder',
    place() {
      const dir = makeFolder()
      return { options: { dir }, remove: () => removeFolder(dir) }
    },
    open: (collections) =>
      openLogStore({
        dir: temporaryFolder(),
        collections,
        clock: systemClock,
        durability: 'process',
        reserveBytes: 0,
        awakeSegments: 0,
      }),
  },
  PostgreSQL: {
    title: 'in PostgreSQL',
    needsDatabase: true,
    // The whole server is removed after the tests.
    place: (database) => ({ options: { store: newSchema(database) }, remove: nothing }),
    open: (collections, database) => openPostgresStore({ url: newSchema(database), collections }),
  },
}

function nothing(): void {}

/** The adapter that the tests of this project run on. */
export const adapterOfTests = (): AdapterName => inject('adapter') ?? 'memory'

/** Makes an empty place of the adapter that the tests run on. The caller removes it. */
export const newPlace = (): Place => adapters[adapterOfTests()].place(inject('database'))

/** The options of an instance with an empty place, which is removed at the end of the test. */
export const placeOfData = (): LocalpostOptions => forThisTest(newPlace())

/** The same for data that outlives an instance. If the tests run in memory, the place is a folder. */
export const lastingPlace = (): LocalpostOptions =>
  adapterOfTests() === 'memory' ? forThisTest(adapters.folder.place(undefined)) : placeOfData()

function forThisTest({ options, remove }: Place): LocalpostOptions {
  onTestFinished(remove)
  return options
}

/** Opens an empty store of the adapter that the tests run on. The test closes it. */
export function openStore(collections: readonly Collection<StoredRecord>[]): Promise<PartitionedStore> {
  return adapters[adapterOfTests()].open(collections, inject('database'))
}

/**
 * Options of a test that must be skipped on an adapter.
 *
 * @param reason  Why it is skipped. The reason must not be that the product lacks something on this adapter.
 * @example
 * test('a file that is damaged is named', notOn('PostgreSQL', 'it damages a file of the folder'), async () => {})
 */
export function notOn(adapter: AdapterName, reason: string): { skip: boolean } {
  if (reason === '') throw new Error('A test that does not run on an adapter says why.')
  return { skip: adapterOfTests() === adapter }
}

function newSchema(database: string | undefined): string {
  if (database === undefined)
    throw new Error('This project has no `setup-postgres.ts` among its global setups.')
  return `${database}?schema=t${randomUUID().replaceAll('-', '_')}`
}
