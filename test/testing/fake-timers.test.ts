import { afterEach, describe, expect, it } from 'vitest'
import { openProjects, runVitest as runVitestOf } from './_project.ts'

const projects = openProjects()
/** A busy machine is slow, and a test of vitest has five seconds. */
const runVitest: typeof runVitestOf = (dir, ...args) => runVitestOf(dir, '--testTimeout=60000', ...args)
afterEach(() => projects.clear())

/**
 * All that vitest can fake where Node itself still works: its sockets use `process.nextTick`, and the bodies of its
 * `Response` the global `queueMicrotask`.
 */
const everything = `{ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate',
  'Date', 'performance', 'hrtime', 'queueMicrotask'], now: 0 }`

/** The whole life cycle of an instance: every method that waits for something. */
const life = `
async function live(post) {
  await post.emails.send(mail)
  const got = await post.inbox.waitFor({ to: 'ada@example.com' }, { timeoutMs: 20_000 })
  if (got.text.trim() !== 'Hello') throw new Error('read ' + got.text)
  if (Math.abs(got.received - realNow()) > 60_000) throw new Error('received ' + got.received)
  const late = await post.inbox.waitFor({ to: 'nobody' }, { timeoutMs: 20 }).catch((error) => error.code)
  if (late !== 'wait_timeout') throw new Error('late ' + late)
  await post.inbox.expectNone({ to: 'nobody' }, { timeoutMs: 20 })
  await assertSent(post, { to: 'ada@example.com' })
  await assertNotSent(post, { to: 'nobody', timeoutMs: 20 })
  await post.inbox.waitForCount({ to: 'ada@example.com' }, 1, { timeoutMs: 20_000 })
  if (!globalThis.queueMicrotask.clock) {
    const answer = await post.fetch(new Request('http://localpost/v1/emails', { headers: { authorization: 'Bearer ' + post.apiKey } }))
    if (!(await answer.text()).includes('ada@example.com')) throw new Error('no list')
  }
  await post.audiences.contacts.import((await post.audiences.create({ name: 'x' })).id, 'email\\na@b.test\\n')
  await post.inbox.check(got.id)
  await post.inbox.attachment(got.id, 0)
  for await (const chunk of (await post.inbox.raw(got.id)).stream) if (!chunk.length) throw new Error('empty')
  for await (const chunk of await post.inbox.export()) if (!chunk.length) throw new Error('empty')
  const state = await post.snapshot()
  await post.restore(state)
  await post.reset()
  await post.listen()
  await post.close()
}`
const preamble = `
import { createLocalpost } from 'localpost'
import { assertNotSent, assertSent } from 'localpost/testing'
const realNow = Date.now
const mail = { from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Welcome', text: 'Hello',
  attachments: [{ filename: 'a.txt', path: 'data:text/plain;base64,aGVsbG8=' }] }
${life}`

describe('with the fake timers of vitest', () => {
  it.each(['forks', 'threads'])(
    'an instance made before or afterwards does all it does, in %s',
    async (pool) => {
      const dir = projects.make({
        'fake.test.js': `import { afterEach, test, vi } from 'vitest'
        ${preamble}
        afterEach(() => void vi.useRealTimers())
        test('before', async () => {
          const post = await createLocalpost()
          vi.useFakeTimers(${everything})
          await live(post)
        })
        test('afterwards', async () => {
          vi.useFakeTimers(${everything})
          await live(await createLocalpost())
        })
        test('by default', async () => {
          vi.useFakeTimers()
          await live(await createLocalpost({ clock: undefined }))
        })`,
      })
      const { status, output } = await runVitest(dir, `--pool=${pool}`)
      expect(output).toMatch(/Tests\s+3 passed/)
      expect(status).toBe(0)
    },
  )

  it('an instance works where timers were fake before it was loaded', async () => {
    const dir = projects.make({
      'setup.js': `import { vi } from 'vitest'
        globalThis.trueNow = Date.now
        vi.useFakeTimers(${everything})`,
      'vitest.config.js': `export default { test: { setupFiles: ['./setup.js'] } }`,
      'fake.test.js': `import { test } from 'vitest'
        ${preamble.replace('realNow = Date.now', 'realNow = trueNow')}
        test('lives', async () => live(await createLocalpost()))`,
    })
    const { status, output } = await runVitest(dir)
    expect(output).toMatch(/Tests\s+1 passed/)
    expect(status).toBe(0)
  })

  it('a fake process.nextTick is refused at once, with what to do', async () => {
    const dir = projects.make({
      'tick.test.js': `import { afterEach, expect, test, vi } from 'vitest'
        import { createLocalpost } from 'localpost'
        import { assertSent, startForTest } from 'localpost/testing'
        afterEach(() => void vi.useRealTimers())
        test('tick', async () => {
          const post = await createLocalpost()
          vi.useFakeTimers({ toFake: ['nextTick'] })
          const mail = { from: 'a@acme.test', to: 'ada@example.com', subject: 's', text: 't' }
          for (const call of [
            () => post.emails.send(mail), () => post.inbox.waitFor(), () => post.inbox.list(), () => post.listen(),
            () => post.reset(), () => post.fetch(new Request('http://localpost/dev/health')), () => assertSent(post),
            () => createLocalpost(), () => startForTest(),
          ]) await expect(call()).rejects.toThrow(/^process\\.nextTick is fake, .* Leave it out: vi\\.useFakeTimers\\(\\{ toFake:/)
          vi.useRealTimers()
          await post.emails.send(mail)
          await post.close()
        })`,
    })
    const { status, output } = await runVitest(dir, '--pool=threads')
    expect(output).toMatch(/Tests\s+1 passed/)
    expect(status).toBe(0)
  })

  it('the fixture closes, and an app’s SMTP and HTTP work', async () => {
    const dir = projects.make({
      'fixture.test.js': `import { afterEach, beforeEach, vi } from 'vitest'
        import { createTransport } from 'nodemailer'
        import { expect, test } from 'localpost/vitest'
        beforeEach(() => void vi.useFakeTimers())
        afterEach(() => void vi.useRealTimers())
        test('fixture', async ({ localpost }) => {
          await localpost.emails.send({ from: 'a@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
          await expect(localpost).toHaveSent({ to: 'ada@example.com' })
          await expect(localpost).toHaveEvent({ status: 'delivered' })
        })
        // The app itself waits for its own timers, which the test moves.
        test('an app', async ({ localpost, localpostUrl }) => {
          const headers = { authorization: 'Bearer ' + localpost.apiKey, 'content-type': 'application/json' }
          const body = JSON.stringify({ from: 'a@acme.test', to: 'bob@example.com', subject: 'Hi', text: 'Hello' })
          const answer = await fetch(localpostUrl + '/v1/emails', { method: 'POST', headers, body })
          expect(answer.status).toBe(200)
          const transport = createTransport(localpost.smtp)
          const sent = transport.sendMail({ from: 'a@acme.test', to: 'eve@example.com', subject: 'Hi', text: 'Hello' })
          let isSent = false
          sent.finally(() => { isSent = true }).catch(() => {})
          while (!isSent) { await vi.advanceTimersByTimeAsync(10); await new Promise((done) => process.nextTick(done)) }
          await sent
          transport.close()
          await expect(localpost).toHaveSent({ count: 2 })
        })`,
    })
    projects.link(dir, 'nodemailer')
    const { status, output } = await runVitest(dir)
    expect(output).toMatch(/Tests\s+2 passed/)
    expect(status).toBe(0)
  })
})
