import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import expected from '../fixtures/codes/expected.json' with { type: 'json' }
import { startShared } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

const folder = new URL('../fixtures/codes/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.eml'))

let post: Localpost
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  return shared.end
})

/** Submits a file as an app does, and reads it as a test does. */
async function capture(name: string) {
  const raw = readFileSync(new URL(`${name}.eml`, folder))
  const envelope = { from: 'sender@sender.test', to: ['ada@example.com'] }
  return post.inbox.get(await submit(post, { raw, envelope }))
}

describe('mail of the kinds that apps send', () => {
  it('has every kind in the table', () => {
    expect(files.map((name) => name.replace(/\.eml$/, '')).sort()).toEqual(Object.keys(expected).sort())
  })

  it.each(Object.entries(expected))(
    '%s has the expected codes and links, and no others',
    async (name, wanted) => {
      const { codes, links, problem } = await capture(name)
      expect({ codes, links, problem }).toEqual({ ...wanted, problem: null })
    },
  )
})
