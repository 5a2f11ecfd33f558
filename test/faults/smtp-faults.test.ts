import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import type { FaultsInput, SmtpStage } from '../../src/faults/types.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { RawClient } from '../capture/_server.ts'
import { dialogue, greeted, outcomes, submission } from '../rules/_setup.ts'
import { startRetrying } from '../support/instance.ts'

// In the order of the dialogue: the greeting, the lines of a submission.
const stages: readonly SmtpStage[] = ['connect', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'end']

interface Said {
  /** The reply of every step up to the end of the connection; a missing reply is absent. */
  replies: string[]
  ms: number
  isClosed: boolean
  stored: number
}

async function submit(post: Localpost): Promise<Said> {
  const started = performance.now()
  const client = new RawClient(post.smtp)
  const greeting = await client.reply()
  const rest = client.isClosed || !greeting.startsWith('220') ? [] : await dialogue(client, submission)
  const said = { replies: [greeting, ...rest].filter(Boolean), ms: performance.now() - started }
  if (!greeting.startsWith('220') && greeting !== '') await client.closed()
  const { isClosed } = client
  client.socket.destroy()
  return { ...said, isClosed, stored: (await post.inbox.list()).count }
}

describe.each(stages.map((stage, step) => ({ stage, step })))('a fault at $stage', ({ stage, step }) => {
  it('refuses with its code and text, and nothing is stored', async () => {
    const post = await startRetrying()
    await post.faults.set({ smtp: [{ stage, code: 454, text: 'Not today' }] })
    const { replies, stored } = await submit(post)
    const isBare = stage === 'connect' || stage === 'ehlo'
    expect(replies[step]).toBe(isBare ? '454 Not today' : '454 4.0.0 Not today')
    // A client that continues without AUTH, as an app may, is accepted.
    expect(stored).toBe(stage === 'auth' ? 1 : 0)
  })

  it('with 421 ends the connection', async () => {
    const post = await startRetrying()
    await post.faults.set({ smtp: [{ stage, code: 421 }] })
    const client = new RawClient(post.smtp)
    if ((await client.reply()).startsWith('220')) await dialogue(client, submission)
    await client.closed()
    expect(await post.inbox.list()).toMatchObject({ count: 0 })
  })

  it('waits, and then continues as usual', async () => {
    const post = await startRetrying()
    await post.faults.set({ smtp: [{ stage, delay_ms: 250, count: 1 }] })
    const { replies, ms, stored } = await submit(post)
    expect(replies).toHaveLength(stages.length)
    expect(replies.at(-1)).toMatch(/^250 2\.6\.0 OK: captured/)
    expect(ms).toBeGreaterThanOrEqual(245)
    expect(stored).toBe(1)
  })

  it('cuts the connection without a reply', async () => {
    const post = await startRetrying()
    await post.faults.set({ smtp: [{ stage, disconnect: true, delay_ms: 10 }] })
    const { replies, isClosed, stored } = await submit(post)
    expect(replies).toHaveLength(step)
    expect([isClosed, stored]).toEqual([true, 0])
  })
})

describe('faults of SMTP', () => {
  it('never apply to a delivery of the outbox, at any stage', async () => {
    const post = await startRetrying({ retryDelaysMs: [] })
    await post.faults.set({ smtp: stages.map((stage) => ({ stage, disconnect: true })) })
    const { id } = await post.emails.send({ from: 'a@x.test', to: 'b@y.test', subject: 'Hi', text: 'x' })
    expect(await outcomes(post, id)).toMatchObject({ 'b@y.test': { status: 'delivered' } })
  })

  it('affect the next few, and show how many are left', async () => {
    const post = await startRetrying()
    await post.faults.set({ smtp: [{ stage: 'rcpt', code: 450, count: 2 }], seed: 7 })
    const client = await greeted(post)
    await dialogue(client, submission.slice(0, 3))
    // Out of order, and so not counted.
    expect(await client.say('MAIL FROM:<b@x.test>')).toMatch(/^503 /)
    expect(await client.say(submission[3] ?? '')).toBe('450 4.2.1 An injected fault')
    expect(await post.faults.get()).toEqual({
      http: [],
      smtp: [{ stage: 'rcpt', code: 450, count: 1 }],
      rate_limit: null,
      seed: 7,
    })
    expect(await client.say(submission[3] ?? '')).toBe('450 4.2.1 An injected fault')
    expect(await client.say(submission[3] ?? '')).toBe('250 2.1.5 Accepted')
    expect(await post.faults.get()).toMatchObject({ smtp: [{ count: 0 }] })
  })

  it('use the enhanced code in the text', async () => {
    const post = await startRetrying()
    await post.faults.set({ smtp: [{ stage: 'mail', code: 550, text: '5.7.1 Blocked' }] })
    const replies = await dialogue(await greeted(post), submission.slice(0, 3))
    expect(replies.at(-1)).toBe('550 5.7.1 Blocked')
  })

  it('appear to nodemailer as errors of the server, until they are cleared', async () => {
    const post = await startRetrying()
    await post.faults.set({ smtp: [{ stage: 'end', code: 452, text: 'Disk full' }] })
    const transport = createTransport(post.smtp)
    const mail = { from: 'a@x.test', to: 'b@y.test', subject: 'Hi', text: 'x' }
    await expect(transport.sendMail(mail)).rejects.toMatchObject({ responseCode: 452 })
    expect(await post.faults.clear()).toBe(1)
    await transport.sendMail(mail)
    expect(await post.inbox.list()).toMatchObject({ count: 1 })
  })

  it('with the same seed affect the same commands', async () => {
    const struck = async (faults: FaultsInput): Promise<string> => {
      const post = await startRetrying()
      await post.faults.set(faults)
      const client = await greeted(post)
      await client.say('EHLO app.test')
      const codes = []
      for (let i = 0; i < 40; i++) {
        codes.push((await client.say('MAIL FROM:<a@x.test>')).slice(0, 3))
        await client.say('RSET')
      }
      return codes.join(' ')
    }
    const smtp = [{ stage: 'mail' as const, code: 451, rate: 0.5 }]
    const [first, second, other] = await Promise.all([
      struck({ smtp, seed: 42 }),
      struck({ smtp, seed: 42 }),
      struck({ smtp, seed: 43 }),
    ])
    expect(first).toBe(second)
    expect(first).not.toBe(other)
    expect(first).toContain('451')
    expect(first).toContain('250')
  })

  it('that wait do not delay closing', async () => {
    const post = await startRetrying()
    await post.faults.set({ smtp: [{ stage: 'ehlo', delay_ms: 60_000 }] })
    const client = await greeted(post)
    client.socket.write('EHLO app.test\r\n')
    // The delay is longer than the time limit of the test.
    await post.close()
    await client.closed()
  })
})
