import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createLocalpost } from '../../src/index.ts'
import { allCollections, collections } from '../../src/instance/collections.ts'
import { copyStore } from '../../src/store/copy/copy.ts'
import { fillLogStore, openLogStore } from '../../src/store/disk/open.ts'
import { fillPostgresStore } from '../../src/store/postgres/open.ts'
import type { Filling, Mark } from '../../src/store/unfinished.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startPostgres, type TestServer } from '../support/postgres.ts'
import { runCommand, runToEnd } from './command.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const count = 200
let schemas = 0

/** The kinds of targets, each with an empty one of its own. */
const kinds = {
  'a folder': {
    fresh: () => join(temporaryFolder(), 'data'),
    fill: (dir: string, mark: Mark): Promise<Filling> =>
      fillLogStore({ dir, collections, clock: systemClock, durability: 'disk' }, mark),
    flag: '--dir',
    open: (dir: string) => createLocalpost({ dir }),
  },
  PostgreSQL: {
    fresh: () => `${server.url}?schema=unfinished${++schemas}`,
    fill: (url: string, mark: Mark): Promise<Filling> =>
      fillPostgresStore({ url, collections: allCollections }, mark),
    flag: '--store',
    open: (store: string) => createLocalpost({ store }),
  },
}

async function fullFolder(): Promise<string> {
  const dir = kinds['a folder'].fresh()
  const post = await createLocalpost({ dir })
  await Promise.all(
    Array.from({ length: count }, (_, n) =>
      post.emails.send({ from: 'app@shop.test', to: 'ada@x.test', subject: `number ${n}`, text: 'Hi' }),
    ),
  )
  await post.close()
  return dir
}

/** Begins a copy that stops after some records. */
async function interruptedCopy(source: string, to: Filling): Promise<void> {
  const from = await openLogStore({ dir: source, collections, clock: systemClock, durability: 'disk' })
  const interruption = new AbortController()
  await copyStore({
    from,
    to,
    collections,
    signal: interruption.signal,
    onProgress: (done) => void (done > count / 2 && interruption.abort()),
  })
  await to.store.close()
  await from.close()
}

describe.each(Object.entries(kinds))('an interrupted copy into %s', (_, { fresh, fill, flag, open }) => {
  it('is refused by the library, the command, doctor and as a source, and the same copy finishes it', async () => {
    const [source, target] = [await fullFolder(), fresh()]
    await interruptedCopy(source, await fill(target, { by: 'copy', from: source }))
    const refusal = {
      code: 'store_incomplete',
      message: expect.stringMatching(
        /holds only a part of its data\. A copy from .* was interrupted\. Run `localpost copy`.*Nothing was changed\.$/,
      ),
    }
    for (let tries = 0; tries < 2; tries++) await expect(open(target)).rejects.toMatchObject(refusal)
    const started = runCommand(['--port=0', '--smtp-port=0', flag, target])
    expect(await started.ended).toMatchObject({ code: 1 })
    expect(started.stderr()).toMatch(
      /store_incomplete: .* Run `localpost copy` with the same --from and --to/,
    )
    const inspected = await runToEnd(['doctor', flag, target])
    expect(inspected.code).toBe(1)
    expect(inspected.stdout).toMatch(/^problem .*holds only a part of its data.* Run `localpost copy`/m)
    const onwards = await runToEnd(['copy', '--from', target, '--to', fresh()])
    expect(onwards).toMatchObject({ code: 1, stderr: expect.stringContaining('store_incomplete') })
    expect(onwards.stderr).not.toContain('secret')
    const resumed = await runToEnd(['copy', '--from', source, '--to', target])
    expect(resumed).toMatchObject({ code: 0, stderr: '' })
    expect(await runToEnd(['doctor', flag, target])).toMatchObject({ code: 0 })
    const post = await open(target)
    expect((await post.inbox.list({ limit: 1 })).count).toBe(count)
    await post.close()
  })

  it('that is not the same work is refused, and so is a copy into data that is in use', async () => {
    const [source, target] = [await fullFolder(), fresh()]
    const salvage = await fill(target, { by: 'salvage', from: '/other' })
    await salvage.store.close()
    expect(await runToEnd(['copy', '--from', source, '--to', target])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('A salvage of "/other" into it is still running, or was interrupted.'),
    })
    const used = fresh()
    await (await open(used)).close()
    expect(await runToEnd(['copy', '--from', source, '--to', used])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The destination is not empty'),
    })
    await (await open(used)).close()
  })

  it('without a record is refused too, and a copy that found differences stays refused', async () => {
    const [source, target] = [await fullFolder(), fresh()]
    await (await fill(target, { by: 'copy', from: source })).store.close()
    await expect(open(target)).rejects.toMatchObject({ code: 'store_incomplete' })
    const other = await fullFolder()
    await interruptedCopy(other, await fill(target, { by: 'copy', from: other }))
    expect(await runToEnd(['copy', '--from', source, '--to', target])).toMatchObject({ code: 2 })
    await expect(open(target)).rejects.toMatchObject({ code: 'store_incomplete' })
    expect(await runToEnd(['copy', '--from', other, '--to', target])).toMatchObject({ code: 0 })
    await (await open(target)).close()
  })
})
