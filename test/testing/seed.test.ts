import { describe, expect, it } from 'vitest'
import { createLocalpost, fixedClock, type LocalpostOptions } from '../../src/index.ts'
import { goodMail } from '../support/mail.ts'

const hello = { ...goodMail, subject: 'Hi', text: 'Hello' }

/** All values that depend on randomness, after the same calls. */
async function outcome(options: LocalpostOptions): Promise<unknown> {
  await using post = await createLocalpost({ clock: fixedClock('2026-01-01T00:00:00Z'), ...options })
  const webhook = await post.webhooks.create({ url: 'http://127.0.0.1:9', events: ['domain.created'] })
  const emails: string[] = []
  for (let i = 0; i < 5; i++) emails.push((await post.emails.send(hello)).id)
  const domain = await post.domains.create({ name: 'acme.example' })
  const audience = await post.audiences.create({ name: 'Friends' })
  const faults = await post.faults.set({ http: [{ path: '/v1/**', status: 500, rate: 0.5 }] })
  const answers: number[] = []
  for (let i = 0; i < 20; i++)
    answers.push((await post.fetch(new Request('http://localpost/v1/domains'))).status)
  await post.inbox.waitFor(`id:${emails.at(-1)}`)
  return { webhook, emails, domain: domain.id, audience: audience.id, faults, answers, key: post.apiKey }
}

describe('a seed', () => {
  it.each(['a story', 7])('repeats ids, keys, secrets and random choices: %s', async (seed) => {
    expect(await outcome({ seed })).toEqual(await outcome({ seed }))
  })

  it('gives other values for another seed, and without a seed random ones', async () => {
    const outcomes = [
      await outcome({ seed: 1 }),
      await outcome({ seed: '1' }),
      await outcome({}),
      await outcome({}),
    ]
    expect(new Set(outcomes.map((one) => JSON.stringify(one))).size).toBe(4)
  })

  it('does not change the order of ids', async () => {
    await using post = await createLocalpost({ seed: 1, clock: fixedClock(0) })
    const ids: string[] = []
    for (let i = 0; i < 100; i++) ids.push((await post.emails.send(hello)).id)
    expect([...ids].sort()).toEqual(ids)
  })
})
