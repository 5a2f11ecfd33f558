import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fixedClock } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { isLong } from '../support/long.ts'
import { suites } from './_suites.ts'

const workers = isLong ? 20 : 3
const mails = isLong ? 200 : 5

test.for(Object.entries(suites))(
  'workers on one server see their own mail, and one that is killed leaves nothing: %s',
  { timeout: 500_000 },
  async ([name, run], { skip }) => {
    if (name === 'pytest')
      skip(spawnSync('python3', ['-m', 'pytest', '--version']).status !== 0, 'pytest is not on this machine')
    const data = temporaryFolder()
    const clock = fixedClock('2026-01-01T00:00:00Z')
    const post = await start({ dir: data, clock })
    const { url } = await post.listen()
    const dir = temporaryFolder()
    const said = await run({ dir, url, key: post.apiKey, workers, mails })
    const passed = readdirSync(dir).filter((file) => file.startsWith('passed-'))
    const survivors = Array.from({ length: workers - 1 }, (_, index) => `passed-${index + 1}`)
    expect(passed.sort(), said).toEqual(survivors.sort())
    const [main, left, ...others] = await post.accounts.list()
    expect([main?.name, others]).toEqual(['default', []])
    expect(left?.counts.emails).toBeGreaterThan(mails / 2)
    await clock.advance(61_000)
    await expect.poll(async () => (await post.accounts.list()).length, { timeout: 10_000 }).toBe(1)
    expect((await post.inbox.list()).items).toEqual([])
    await post.close()
    const again = await start({ dir: data, clock })
    expect((await again.accounts.list()).map((account) => account.name)).toEqual(['default'])
    // Of the accounts nothing is on the disk.
    expect(
      readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('acc_')),
    ).toEqual([])
  },
)
