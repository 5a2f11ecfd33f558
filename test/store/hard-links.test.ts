import { appendFileSync, cpSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPaths } from '../../src/store/disk/paths.ts'
import { releaseReserve, Reserve } from '../../src/store/disk/reserve.ts'
import { blobOf, insert, type Store } from '../../src/store/store.ts'
import { note, notes, pattern } from '../contracts/notes.ts'
import { type Face, open } from '../decisions/helpers.ts'
import { temporaryFolder } from '../support/folder.ts'
import { linkedCopyOf } from '../support/linked-folder.ts'
import { filesIn, logIn, mortal, openIn } from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

/** Changes something in every file that an instance keeps. */
async function work({ post, create, send, settled, call }: Face, name: string): Promise<void> {
  const id = await send({ subject: name }, { 'idempotency-key': name })
  await settled(await send({ subject: `large ${name}`, text: `${name} `.repeat(60_000) }))
  await settled(id)
  const { id: audience } = await create<{ id: string }>('/dev/audiences', { name })
  await create(`/dev/audiences/${audience}/contacts`, { email: `${name}@example.com` })
  await create('/dev/webhooks', { url: `http://127.0.0.1:9/${name}`, events: ['email.sent'] })
  await settled(await send({ subject: `announced ${name}` }))
  for (const query of [name, `subject:${name}`]) {
    expect((await post.inbox.list({ query })).count).toBeGreaterThan(0)
  }
  expect((await call('DELETE', `/dev/inbox/${id}`)).ok).toBe(true)
}

/** Files of a folder in which a process was killed: an incomplete commit at the end of the log. */
function killed(dir: string): string {
  const copy = temporaryFolder()
  cpSync(dir, copy, { recursive: true })
  renameSync(join(copy, 'lock'), join(copy, 'lock.closed'))
  const last = readdirSync(join(copy, 'log')).sort().at(-1) ?? ''
  appendFileSync(join(copy, 'log', last), '{"seq":99999,"len":5000,"crc":"0000')
  return copy
}

test.each(['closed', 'killed'] as const)(
  'in a copy made with hard links of a folder that was %s, no file of the original is changed',
  async (ending) => {
    const dir = temporaryFolder()
    const first = await open({ dir })
    await work(first, 'first')
    const original = ending === 'killed' ? killed(dir) : dir
    await first.post.close()
    const before = await filesIn(original)
    const folders = new Set(Object.keys(before).map((path) => path.replace(/[^/]*$/, '')))
    expect([...folders].sort()).toEqual(
      expect.arrayContaining(['', 'derived/', 'large/', 'log/', ...(ending === 'closed' ? ['emails/'] : [])]),
    )
    const copy = linkedCopyOf(original)
    const second = await open({ dir: copy })
    await work(second, 'second')
    await second.post.close()
    expect(await filesIn(original)).toEqual(before)
    const again = await open({ dir: original })
    await work(again, 'third')
    await again.post.close()
    const subjects = async (of: string): Promise<string[]> => {
      const face = await open({ dir: of })
      const { emails } = await face.get<{ emails: { subject: string }[] }>('/v1/emails')
      await face.post.close()
      return emails.map(({ subject }) => subject)
    }
    expect(await subjects(original)).toEqual(
      ['third', 'first'].flatMap((name) => [`announced ${name}`, `large ${name}`]),
    )
    expect(await subjects(copy)).toEqual(
      ['second', 'first'].flatMap((name) => [`announced ${name}`, `large ${name}`]),
    )
  },
)

/** Commits so many notes. */
async function fill(store: Store, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(500, n))])
}

async function numbersIn(dir: string): Promise<number[]> {
  const store = await openIn(dir)
  const { records } = await store.page(notes, { limit: 1e6 })
  for (const { id } of records) expect(await store.readBlob(`${id}/message`)).toHaveLength(500)
  await store.close()
  return records.map(({ id }) => Number(id.slice(2)))
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n)

test('two stores on linked copies of a closed folder run side by side, and each keeps what it stored', async () => {
  const dir = temporaryFolder()
  const first = await openIn(dir, { ...mortal, processes: undefined })
  await fill(first, 0, 10)
  await first.close()
  const copy = linkedCopyOf(dir)
  const both = [await openIn(dir), await openIn(copy)] as const
  await Promise.all([fill(both[0], 100, 20), fill(both[1], 200, 30)])
  for (const store of both) await store.close()
  expect(await numbersIn(dir)).toEqual([...range(0, 10), ...range(100, 20)])
  expect(await numbersIn(copy)).toEqual([...range(0, 10), ...range(200, 30)])
})

test('a store whose files get a second name while it runs stops writing to the shared log file', async () => {
  const dir = temporaryFolder()
  const first = await openIn(dir, { checkpointBytes: 1e12 })
  await fill(first, 0, 10)
  const copy = linkedCopyOf(dir)
  // Without its lock, the copy is opened after 5 seconds, in which the first store looks at its file.
  rmSync(join(copy, 'lock'))
  const opening = openIn(copy)
  let count = 10
  for (let isOpen = false; !isOpen;) {
    await fill(first, count++, 1)
    isOpen = await Promise.race([
      opening.then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 20)),
    ])
  }
  const second = await opening
  const shared = await nodeFiles.size(logIn(copy))
  await Promise.all([fill(first, 1000, 20), fill(second, 2000, 20)])
  expect(await nodeFiles.size(logIn(copy))).toBe(shared)
  for (const store of [first, second]) await store.close()
  expect(await numbersIn(dir)).toEqual([...range(0, count), ...range(1000, 20)])
  const inCopy = await numbersIn(copy)
  expect(inCopy).toEqual([...range(0, inCopy.length - 20), ...range(2000, 20)])
  expect(inCopy.length).toBeGreaterThanOrEqual(30)
})

test('a reserve that a linked copy shares is not emptied, and is replaced where the disk has room', async () => {
  const dir = temporaryFolder()
  const create = (folder: string, free: number): Reserve => {
    const files = { ...nodeFiles, freeBytes: () => Promise.resolve(free) }
    return new Reserve({ files, paths: createPaths(folder), bytes: 1000, onNotice: () => {} }, false)
  }
  await create(dir, 1e9).refill()
  const copy = linkedCopyOf(dir)
  const sizes = (): Promise<(number | null)[]> =>
    Promise.all([dir, copy].map((folder) => nodeFiles.size(join(folder, 'reserve'))))
  expect(await releaseReserve(nodeFiles, createPaths(copy))).toBe(false)
  expect(await sizes()).toEqual([1000, 1000])

  const full = create(copy, 900)
  await full.refill()
  expect(() => full.assertWhole()).toThrow(expect.objectContaining({ code: 'store_full' }))

  const roomy = create(copy, 1e9)
  await roomy.refill()
  roomy.assertWhole()
  expect(await releaseReserve(nodeFiles, createPaths(copy))).toBe(true)
  expect(await sizes()).toEqual([1000, 0])
})
