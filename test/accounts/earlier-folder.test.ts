import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fixedClock } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'

const fixture = join(import.meta.dirname, '../fixtures/before-accounts')
const answers = JSON.parse(readFileSync(join(fixture, 'answers.json'), 'utf8')) as Record<string, string>

test('a folder of the version before accounts opens as `default`, with the same answers byte for byte', async () => {
  const dir = temporaryFolder()
  cpSync(join(fixture, 'data'), dir, { recursive: true })
  const clock = fixedClock('2026-01-01T00:00:03Z')
  const open = (): ReturnType<typeof start> => start({ dir, clock, apiKeys: ['lp_before'] })
  const post = await open()
  const found: Record<string, string> = {}
  const headers = { authorization: 'Bearer lp_before' }
  for (const path of Object.keys(answers))
    found[path] = await (await post.fetch(new Request(`http://localhost${path}`, { headers }))).text()
  expect(found).toEqual(answers)
  expect(await post.accounts.list()).toMatchObject([{ name: 'default', counts: { emails: 3, unread: 2 } }])
  // An account beside them changes nothing, and what it holds is apart.
  const { api_key } = await post.accounts.create({ name: 'new' })
  const own = { authorization: `Bearer ${api_key}` }
  const path = '/v1/emails'
  const there = await post.fetch(new Request(`http://localhost${path}`, { headers: own }))
  expect(await there.json()).toMatchObject({ emails: [], count: 0 })
  await post.close()
  const again = await open()
  expect(await (await again.fetch(new Request(`http://localhost${path}`, { headers }))).text()).toBe(
    answers[path],
  )
}, 60_000)
