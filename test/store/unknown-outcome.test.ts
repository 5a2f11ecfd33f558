import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BlobWriter, Store } from '../../src/store/store.ts'
import { type Blob, blobOf, insert, put } from '../../src/store/store.ts'
import { note, notes, pattern } from '../contracts/notes.ts'
import { isLong } from '../support/long.ts'
import {
  contents,
  copyOf,
  faultyFiles,
  mortal,
  openAfterKill,
  openIn,
  systemError,
  tempFolder,
} from './_setup.ts'

/** The call that fails in a commit, and the call that then fails while the log is truncated. */
const breaks = [
  { durability: 'disk', at: 'sync', cut: 'truncate', whole: true },
  { durability: 'disk', at: 'sync', cut: 'sync', whole: false },
  { durability: 'disk', at: 'write', cut: 'truncate', whole: false },
  { durability: 'process', at: 'write', cut: 'truncate', whole: false },
] as const

const sizes = {
  'in the frame': 3000,
  'in a file of its own': 400_000,
  'written as it came': 400_000,
} as const

const cases = breaks.flatMap((how) =>
  (Object.keys(sizes) as (keyof typeof sizes)[]).map((kind) => ({ ...how, kind })),
)

/** A store whose log fails at the given calls, as long as `state.broken` is set. */
async function breaking(dir: string, { durability, at, cut }: (typeof breaks)[number]) {
  const state = { broken: false }
  const files = faultyFiles(({ name, path }) => {
    if (!state.broken || !path.endsWith('.log')) return
    if (name === at || name === cut) throw systemError('EIO')
  })
  return { state, store: await openIn(dir, { ...mortal, files, durability }) }
}

/** Commits a note with a message, as capture or the outbox does. */
async function commitOf(store: Store, n: number, kind: keyof typeof sizes): Promise<unknown> {
  const { id } = note(n)
  const bytes = pattern(sizes[kind], n)
  let writer: BlobWriter | null = null
  let blob: Blob = blobOf(`${id}/message`, bytes)
  if (kind === 'written as it came') {
    writer = store.createBlob(`${id}/message`)
    await writer.write(bytes)
    blob = await writer.finish()
  }
  try {
    await store.commit([insert(notes, note(n))], [blob])
    return 'stored'
  } catch (error) {
    await writer?.discard()
    return error
  }
}

test.each(cases)(
  'EIO at $at and then at $cut ($durability), message $kind: the outcome is unknown, and every start works',
  async ({ kind, ...how }) => {
    const dir = await tempFolder()
    const { store, state } = await breaking(dir, how)
    expect(await commitOf(store, 1, kind)).toBe('stored')
    const before = await contents(store)
    state.broken = true
    expect(await commitOf(store, 2, kind)).toMatchObject({
      code: 'store_unknown',
      message: expect.stringContaining('the next start may find it') as unknown,
    })
    // Later commits are certainly not stored.
    expect(await commitOf(store, 3, kind)).toMatchObject({ code: 'store_read_only' })
    expect(await contents(store)).toEqual(before)

    const restarted = await openAfterKill(await copyOf(dir))
    expect((await restarted.get(notes, note(2).id)) !== null).toBe(how.whole)
    if (how.whole) expect(await restarted.readBlob(`${note(2).id}/message`)).toEqual(pattern(sizes[kind], 2))
    expect(await restarted.get(notes, note(3).id)).toBeNull()
    await restarted.close()

    state.broken = false
    expect(await commitOf(store, 4, kind)).toBe('stored')
    const now = await contents(store)
    await expect.poll(() => readdir(join(dir, 'large'))).toHaveLength(sizes[kind] > 300_000 ? 2 : 0)
    await store.close()
    const last = await openIn(dir)
    expect(await contents(last)).toEqual(now)
    expect(await last.count(notes)).toBe(2)
    await last.close()
  },
)

test.each(breaks)(
  'a cut that failed is tried again at close (EIO at $at and $cut, $durability)',
  async (how) => {
    const dir = await tempFolder()
    const { store, state } = await breaking(dir, how)
    expect(await commitOf(store, 1, 'in a file of its own')).toBe('stored')
    const before = await contents(store)
    state.broken = true
    expect(await commitOf(store, 2, 'in a file of its own')).toMatchObject({ code: 'store_unknown' })
    state.broken = false
    await store.close()
    expect(await readdir(join(dir, 'large'))).toHaveLength(1)
    const notices: string[] = []
    const again = await openIn(dir, { onNotice: (text) => notices.push(text) })
    expect(await contents(again)).toEqual(before)
    expect(notices).toEqual([])
    await again.close()
  },
)

const isLinux = process.platform === 'linux'

test.skipIf(!isLinux)(
  'a fault at any call of a close leaves no file open, and the next start has everything',
  { timeout: 120_000 },
  async () => {
    for (let n = 1; ; n += isLong ? 1 : 3) {
      const dir = await tempFolder()
      let left = Number.POSITIVE_INFINITY
      const files = faultyFiles(({ name }) => {
        if (name !== 'close' && --left === 0) throw systemError('EIO')
      })
      const closing = { ...files, close: failingClose(files.close, () => --left === 0) }
      const store = await openIn(dir, { ...mortal, files: closing, logFileBytes: 8000 })
      for (let i = 0; i < 12; i++) await commitOf(store, i, i === 3 ? 'in a file of its own' : 'in the frame')
      const before = await contents(store)
      left = n
      await store.close().catch((error: { code: string }) => expect(error.code).toMatch(/^store_/))
      const survived = left > 0
      expect(await stillOpen(dir), `fault ${n}`).toEqual([])
      const again = await openAfterKill(dir)
      expect(await contents(again), `fault ${n}`).toEqual(before)
      await again.commit([put(notes, note(100))])
      await again.close()
      if (survived) break
      expect(n).toBeLessThan(200)
    }
  },
)

/** As in real systems, the descriptor is closed although `close` fails with EIO. */
function failingClose(close: (fd: number) => Promise<void>, fails: () => boolean) {
  return async (fd: number): Promise<void> => {
    const failing = fails()
    await close(fd)
    if (failing) throw systemError('EIO')
  }
}

/** The files under a folder that this process has open. */
async function stillOpen(dir: string): Promise<string[]> {
  const names = await readdir('/proc/self/fd')
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(dir))
}
