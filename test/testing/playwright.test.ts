import { describe, expect, it } from 'vitest'
import {
  localpostFixtures,
  withLocalpost,
  withLocalpostAccount,
  type ListeningLocalpost,
} from '../../src/playwright/index.ts'
import { goodMail } from '../support/mail.ts'

const hello = { ...goodMail, subject: 'Hi', text: 'Hello' }

describe('the fixtures for Playwright', () => {
  it('are available in a test', () => {
    const extended = Object.assign(() => {}, { extend: () => extended })
    const asked: object[] = []
    const base = Object.assign(() => {}, {
      extend(fixtures: object) {
        asked.push(fixtures)
        return extended
      },
    })
    expect(withLocalpost(base)).toBe(extended)
    expect(asked).toEqual([localpostFixtures])
    // Those of an account, which `npm run test:all` uses in a real run.
    expect(withLocalpostAccount(base)).toBe(extended)
    expect(asked[1]).toMatchObject({
      localpostServer: [{}, { scope: 'worker', option: true }],
      localpostAccount: [expect.any(Function), { scope: 'worker' }],
    })
  })

  it('give a worker one instance that listens, and empty it before each test', async () => {
    const [open, { scope }] = localpostFixtures.localpostInstance
    const [defaults, settings] = localpostFixtures.localpostOptions
    expect([scope, defaults, settings]).toEqual(['worker', {}, { scope: 'worker', option: true }])
    let kept: ListeningLocalpost | undefined
    const localpostOptions = { apiKeys: ['mine'] }
    const nothing = { localpostOptions } as Parameters<typeof open>[0]
    await open(nothing, async (localpostInstance) => {
      kept = localpostInstance
      const args = { localpostOptions, localpostInstance }
      for (let test = 0; test < 2; test++) {
        await localpostFixtures.localpost(args, async (localpost) => {
          expect(localpost).toBe(localpostInstance)
          expect((await localpost.inbox.list()).count).toBe(0)
          await localpost.emails.send(hello)
          const headers = { authorization: 'Bearer mine' }
          expect((await fetch(`${localpost.url}/v1/emails`, { headers })).status).toBe(200)
        })
      }
    })
    await expect(kept?.emails.send(hello)).rejects.toMatchObject({ code: 'closed' })
  })

  it('are closed also where a test fails', async () => {
    const [open] = localpostFixtures.localpostInstance
    let kept: ListeningLocalpost | undefined
    const failing = open({ localpostOptions: {} } as Parameters<typeof open>[0], async (post) => {
      kept = post
      throw new Error('the test failed')
    })
    await expect(failing).rejects.toThrow('the test failed')
    await expect(kept?.listen()).rejects.toMatchObject({ code: 'closed' })
  })

  it('name their dependencies where Playwright looks for them', () => {
    const [open] = localpostFixtures.localpostInstance
    // It reads the names out of the function's own text, which must destructure its first parameter.
    expect(String(open)).toMatch(/^async \(\{\s*localpostOptions\s*\},/)
    expect(String(localpostFixtures.localpost)).toMatch(/^async \(\{\s*localpostInstance\s*\},/)
  })
})
