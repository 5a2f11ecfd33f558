import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { isErrorOf } from '../../src/core/errors.ts'
import { emailCollection } from '../../src/emails/email.ts'
import { createLocalpost } from '../../src/index.ts'
import { allCollections, collections } from '../../src/instance/collections.ts'
import { openLogStore } from '../../src/store/disk/open.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { runToEnd } from '../cli/command.ts'
import { temporaryFolder } from '../support/folder.ts'
import { roundsOf } from '../support/long.ts'
import { startPostgres, type TestServer } from '../support/postgres.ts'
import { progressOf } from '../support/progress.ts'
import { killsDuring } from './kill-moments.ts'

/** Of each kind; `LOCALPOST_KILLS=50` is the long variant. */
const rounds = roundsOf('LOCALPOST_KILLS', { short: 4, long: 10 })
const count = 300

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

/** A folder with mail, large and small. */
async function fullFolder(): Promise<string> {
  const dir = freshFolder()
  const post = await createLocalpost({ dir })
  const send = (n: number): Promise<unknown> =>
    post.emails.send({
      from: 'app@shop.test',
      to: 'ada@x.test',
      subject: `number ${n}`,
      text: `${n} `.repeat(n % 20 === 0 ? 100_000 : 20),
    })
  for (let n = 0; n < count; n += 20)
    await Promise.all(Array.from({ length: Math.min(20, count - n) }, (_, at) => send(n + at)))
  await post.close()
  return dir
}

const freshFolder = (): string => join(temporaryFolder(), 'data')
let schemas = 0
const freshUrl = (): string => `${server.url}?schema=kills${++schemas}`

interface Kind {
  readonly fresh: () => string
  readonly args: (source: string, target: string) => string[]
  readonly open: (target: string) => Promise<PartitionedStore>
  readonly start: (target: string) => Promise<{ close(): Promise<void> }>
}

const intoFolder = {
  fresh: freshFolder,
  open: (dir: string) => openLogStore({ dir, collections, clock: systemClock, durability: 'disk' }),
  start: (dir: string) => createLocalpost({ dir }),
}
const intoDatabase = {
  fresh: freshUrl,
  open: (url: string) => openPostgresStore({ url, collections: allCollections }),
  start: (store: string) => createLocalpost({ store }),
}
const kinds: Record<string, Kind> = {
  'a copy into a folder': { ...intoFolder, args: (from, to) => ['copy', '--from', from, '--to', to] },
  'a copy into PostgreSQL': { ...intoDatabase, args: (from, to) => ['copy', '--from', from, '--to', to] },
  'a salvage': { ...intoFolder, args: (from, to) => ['doctor', '--salvage', '--dir', from, '--to', to] },
}

const isSalvage = (kind: Kind): boolean => kind === kinds['a salvage']

it.each(Object.entries(kinds))(
  `after each of ${rounds} kills of %s, its target is whole, empty or refused, and the same command finishes it`,
  async (name, kind) => {
    const source = await fullFolder()
    // A salvage reads everything without it, too.
    if (isSalvage(kind)) rmSync(join(source, 'checkpoint.json'))
    const kills = await killsDuring(async () => {
      expect((await runToEnd(kind.args(source, kind.fresh()))).stdout).toMatch(/^(?:Copied|Saved)/m)
    })
    const outcomes = { refused: 0, empty: 0, whole: 0 }
    const progress = progressOf(`kills of ${name}`, rounds)
    let target = kind.fresh()
    for (let killed = 0; killed < rounds; progress()) {
      const end = await kills(kind.args(source, target))
      if (end.killed) {
        killed++
        outcomes[await outcomeOf(kind, target)]++
        continue
      }
      await finish(kind, source, target)
      target = kind.fresh()
    }
    await finish(kind, source, target)
    console.log(`${rounds} kills of ${name}:`, outcomes)
  },
  60_000 + rounds * 40_000,
)

/** What a start finds in the target of a killed command. A refusal leaves it as it is. */
async function outcomeOf(kind: Kind, target: string): Promise<'refused' | 'empty' | 'whole'> {
  // A start with no folder would make one.
  if (kind.fresh === freshFolder && !existsSync(target)) return 'empty'
  try {
    const store = await kind.open(target)
    const there = await store.count(emailCollection)
    await store.close()
    expect([0, count]).toContain(there)
    return there === 0 ? 'empty' : 'whole'
  } catch (error) {
    if (!isErrorOf(error, 'store_incomplete')) throw error
    expect(error.message).toContain('again to finish it')
    await expect(kind.start(target)).rejects.toMatchObject({ code: 'store_incomplete' })
    return 'refused'
  }
}

/** Runs the command to its end, and compares the mail with that of the source. */
async function finish(kind: Kind, source: string, target: string): Promise<void> {
  const { stderr } = await runToEnd(kind.args(source, target))
  // A salvage that was finished before has nothing to do.
  expect(stderr).toMatch(/^$|is not empty/)
  const post = await kind.start(target)
  await post.close()
  const to = await kind.open(target)
  expect(await to.count(emailCollection)).toBe(count)
  if (!isSalvage(kind)) {
    const from = await intoFolder.open(source)
    for (const id of await from.ids(emailCollection))
      expect(await to.blobSize(`${id}/raw`), id).toBe(await from.blobSize(`${id}/raw`))
    await from.close()
  }
  await to.close()
}
