import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import type { Files } from '../../src/core/files.ts'
import { inspectFolder, type InspectOptions, type Inspection } from '../../src/store/doctor/inspect.ts'
import { type LogStoreOptions, openLogStore } from '../../src/store/disk/open.ts'
import type { Processes } from '../../src/store/lock/processes.ts'
import {
  blobOf,
  type Collection,
  insert,
  put,
  remove,
  type Store,
  type StoredRecord,
} from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { namedFiles } from '../support/named-files.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

/** A folder for one test. */
export async function tempFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'localpost-store-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

/** Opens the suite's store in a folder. */
export function openIn(dir: string, options: Partial<LogStoreOptions> = {}): Promise<PartitionedStore> {
  return openLogStore({
    dir,
    collections: [notes, labels],
    clock: systemClock,
    durability: 'process',
    reserveBytes: 0,
    awakeSegments: 0,
    ...options,
  })
}

/**
 * Opens a folder that another store of this process still has open. The other store counts as killed.
 */
export function openAfterKill(
  dir: string,
  options: Partial<LogStoreOptions> = {},
): Promise<PartitionedStore> {
  const processes = { ...noProcesses, pid: 2 ** 22 + 7, wait: async () => {} }
  return openIn(dir, { processes, ...options })
}

/** A machine on which every process has ended. */
export const noProcesses: Processes = {
  pid: 2 ** 22 + 6,
  host: 'test',
  pidSpace: async () => ({ boot: 'this', namespace: 'this' }),
  isAlive: () => false,
  startOf: async () => '1',
}

/** Options of a store that will be killed. It makes checkpoints only on request. */
export const mortal: Partial<LogStoreOptions> = {
  clock: { now: () => Date.now(), after: () => () => {} },
  checkpointBytes: 1e12,
  processes: noProcesses,
}

/** Commits of every kind, one after the other. */
export async function live(
  store: Store,
  rounds: number,
  after: () => Promise<void> = async () => {},
): Promise<void> {
  for (let n = 0; n < rounds; n++) {
    await store.commit(
      [insert(notes, note(n, { due: n % 4 ? n : null }))],
      [blobOf(`${note(n).id}/message`, pattern(100 + n * 37, n))],
    )
    await after()
    if (n % 3 === 0)
      await store.commit([
        put(labels, { id: `l${n}`, title: `ünï ${n}\u2028` }),
        put(notes, note(n, { seen: true })),
      ])
    await after()
    if (n % 5 === 4)
      await store.commit([remove(notes, note(n - 2).id), put(notes, note(n, { name: 'x'.repeat(n) }))])
    await after()
  }
}

/** Inspects a folder of the suite's store, on a disk with free space. */
export function inspect(dir: string, options: Partial<InspectOptions> = {}): Promise<Inspection> {
  return inspectFolder({ dir, collections: [notes, labels], freeBytes: async () => 1e12, ...options })
}

/** A file of the log. */
export const logIn = (dir: string, number = 1): string => join(dir, 'log', `00000${number}.log`)

/** The whole content of a store, to compare two runs. */
export async function contents(
  store: Store,
  collections: readonly Collection<StoredRecord>[] = [notes, labels],
): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const collection of collections) {
    const { records } = await store.page(collection, { limit: 1e6 })
    const blobs: Record<string, string> = {}
    for (const { id } of records) {
      const bytes = await store.readBlob(`${id}/message`)
      if (bytes) blobs[id] = bytes.toString('latin1')
    }
    const orders: Record<string, string[]> = {}
    for (const index of Object.keys(collection.indexes)) {
      orders[index] = (await store.page(collection, { index, limit: 1e6 })).records.map((record) => record.id)
    }
    all[collection.name] = { records, blobs, orders }
  }
  return all
}

/** A clock whose timers run when the test calls them. */
export function manualClock(): { clock: Clock; fire: () => void } {
  const due = new Set<() => void>()
  return {
    clock: {
      now: () => 0,
      after(_ms, run) {
        due.add(run)
        return () => due.delete(run)
      },
    },
    fire() {
      const runs = Array.from(due)
      due.clear()
      for (const run of runs) run()
    },
  }
}

type Call = Exclude<keyof Files, 'stream'>

/** Runs before one call: may throw; for `write` may return how many bytes are written. */
export type Fault = (call: { name: Call; path: string; number: number }) => void | { takeBytes: number }

/** The machine's file system. A test sees every call before it happens; `running` is the number of calls in progress. */
export function faultyFiles(fault: Fault): Files & { calls: number; running: number } {
  const named = namedFiles(nodeFiles)
  const faulty = { calls: 0, running: 0 }
  async function during<R>(run: () => Promise<R>): Promise<R> {
    faulty.running++
    try {
      return await run()
    } finally {
      faulty.running--
    }
  }
  function look(name: Call, path: string): void | { takeBytes: number } {
    faulty.calls++
    return fault({ name, path, number: faulty.calls })
  }
  const byPath =
    <A extends unknown[], R>(name: Call, run: (path: string, ...rest: A) => Promise<R>) =>
    async (path: string, ...rest: A): Promise<R> => {
      look(name, path)
      return await during(() => run(path, ...rest))
    }
  const byFd =
    <A extends unknown[], R>(name: Call, run: (fd: number, ...rest: A) => Promise<R>) =>
    async (fd: number, ...rest: A): Promise<R> => {
      look(name, named.pathOf(fd))
      return await during(() => run(fd, ...rest))
    }
  return Object.assign(faulty, {
    ...nodeFiles,
    async open(path: string, flags: string) {
      look('open', path)
      return await during(() => named.open(path, flags))
    },
    openNow(path: string) {
      look('openNow', path)
      return named.openNow(path)
    },
    async write(fd: number, bytes: Uint8Array, at: number) {
      const limit = look('write', named.pathOf(fd))
      const taken = limit ? bytes.subarray(0, limit.takeBytes) : bytes
      return await during(() => nodeFiles.write(fd, taken, at))
    },
    close: (fd: number) => during(() => nodeFiles.close(fd)),
    read: byFd('read', nodeFiles.read),
    sync: byFd('sync', nodeFiles.sync),
    truncate: byFd('truncate', nodeFiles.truncate),
    size: byPath('size', nodeFiles.size),
    readAll: byPath('readAll', nodeFiles.readAll),
    list: byPath('list', nodeFiles.list),
    rename: byPath('rename', nodeFiles.rename),
    remove: byPath('remove', nodeFiles.remove),
    makeFolder: byPath('makeFolder', nodeFiles.makeFolder),
    removeFolder: byPath('removeFolder', nodeFiles.removeFolder),
    syncFolder: byPath('syncFolder', nodeFiles.syncFolder),
  })
}

/** A file system that fails on demand. */
export interface MortalFiles {
  files: Files & { calls: number; running: number }
  /** Fails from this call on, counted from now; 0 is the next call. */
  dieAt(call: number): void
  isDead(): boolean
}

export function mortalFiles(): MortalFiles {
  let left = Number.POSITIVE_INFINITY
  const files = faultyFiles(({ name }) => {
    if (--left > 0) return
    // Every later call fails; the interrupted write stored a part of its bytes.
    if (left === 0 && name === 'write') return { takeBytes: 20 }
    throw systemError('EIO')
  })
  return { files, dieAt: (call) => void (left = call), isDead: () => left <= 0 }
}

/** Waits until the store is idle. */
export async function quiet(files: { calls: number; running: number }): Promise<void> {
  for (let calls = -1, same = 0; same < 5; same++) {
    if (calls !== files.calls || files.running > 0) same = 0
    calls = files.calls
    await sleep(10)
  }
}

/** Copies a folder as it is now. */
export async function copyOf(dir: string): Promise<string> {
  const copy = await tempFolder()
  await cp(dir, copy, { recursive: true })
  return copy
}

/** Makes a folder once for all tests of a file. @returns A function that copies it, for one test. */
export function madeOnce(make: () => Promise<string>): () => Promise<string> {
  let kept: Promise<string> | undefined
  const makeAndKeep = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'localpost-store-'))
    await cp(await make(), folder, { recursive: true })
    return folder
  }
  afterAll(async () => {
    if (kept) await rm(await kept, { recursive: true, force: true })
  })
  return async () => copyOf(await (kept ??= makeAndKeep()))
}

/** Every file under a folder with its bytes, except the lock. */
export async function filesIn(dir: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !/^lock(?:\.closed)?$/.test(entry.name))
      files[path.slice(dir.length + 1)] = (await readFile(path)).toString('latin1')
  }
  return files
}

/** An error like those of the operating system. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code })
}

/** Opens a damaged folder, checks that nothing in it changes, and returns the error. */
export async function refusal(dir: string): Promise<{ code: string; message: string }> {
  const before = await filesIn(dir)
  const error: unknown = await openAfterKill(dir).then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: expect.any(String) as unknown, message: expect.any(String) as unknown })
  expect(await filesIn(dir)).toEqual(before)
  return error as { code: string; message: string }
}
