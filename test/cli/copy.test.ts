import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createLocalpost } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startPostgres, type TestServer } from '../support/postgres.ts'
import { submit } from '../support/submit.ts'
import { runCommand, runToEnd, startCommand } from './command.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

let schemas = 0
const freshUrl = (): string => `${server.url}?schema=copy${++schemas}`
const freshFolder = (): string => join(temporaryFolder(), 'data')
const copy = (from: string, to: string): ReturnType<typeof runToEnd> =>
  runToEnd(['copy', '--from', from, '--to', to])

/** A folder with records of every kind. */
async function fullFolder(): Promise<string> {
  const dir = freshFolder()
  const post = await createLocalpost({ dir })
  const message = {
    from: 'app@shop.test',
    to: ['ada@x.test', 'bob@x.test'],
    text: 'Hi {{name}}',
    html: '<p>Hi',
  }
  const attachments = [
    { filename: 'a.bin', path: `data:;base64,${Buffer.alloc(300_000, 7).toString('base64')}` },
  ]
  await post.emails.send({ ...message, subject: 'with files', attachments }, { idempotencyKey: 'k1' })
  await submit(post, { from: 'x@y.test', to: 'ada@x.test', subject: 'large', text: 'ä€😀 '.repeat(200_000) })
  await post.domains.create({ name: 'shop.test' })
  const { id } = await post.audiences.create({ name: 'all' })
  await post.audiences.contacts.add(id, { email: 'ada@x.test', first_name: 'Ada' })
  await post.templates.put('welcome', { subject: 'Hi {{name}}', html: '<p>{{name}}' })
  await post.rules.set([{ match: '*@slow.test', action: 'delay', delay_ms: 1 }])
  await post.webhooks.create({ url: 'http://127.0.0.1:9/hook' })
  await post.accounts.create({ name: 'team' })
  await post.account('team').emails.send({ ...message, subject: 'in an account' })
  await post.inbox.waitFor({ subject: 'large' })
  await post.close()
  return dir
}

const checksumIn = (text: string): string | undefined => /checksum ([0-9a-f]{64})\.$/m.exec(text)?.[1]

describe('localpost copy', () => {
  it('moves everything from a folder to a database and back, byte for byte', async () => {
    const [folder, url, back] = [await fullFolder(), freshUrl(), freshFolder()]
    const there = await copy(folder, url)
    expect(there).toMatchObject({ code: 0, stderr: '' })
    expect(there.stdout).not.toContain('a-secret')
    const again = await copy(url, back)
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(checksumIn(there.stdout)).toBeDefined()
    expect(checksumIn(again.stdout)).toBe(checksumIn(there.stdout))
    // What is complete already is only compared.
    expect(await copy(folder, url)).toMatchObject({ code: 0 })
    const answers = await Promise.all(
      [folder, back].map(async (dir) => {
        const post = await createLocalpost({ dir })
        const { items } = await post.inbox.list()
        const team = await post.account('team').inbox.list()
        const raws: Buffer[] = []
        for (const { id } of items)
          raws.push(Buffer.concat(await (await post.inbox.raw(id)).stream.toArray()))
        const others = [await post.domains.list(), await post.templates.list(), await post.webhooks.list()]
        const rules = await post.rules.get()
        await post.close()
        return JSON.stringify([items, team, raws.map((raw) => raw.toString('base64')), others, rules])
      }),
    )
    expect(answers[1]).toBe(answers[0])
  })

  it('continues after it was killed', async () => {
    const folder = freshFolder()
    const post = await createLocalpost({ dir: folder })
    await Promise.all(
      Array.from({ length: 800 }, (_, n) =>
        post.emails.send({ from: 'app@shop.test', to: 'ada@x.test', subject: `number ${n}`, text: 'Hi' }),
      ),
    )
    await post.close()
    const url = freshUrl()
    // A copy takes about two seconds, most of it the start.
    for (const afterMs of [600, 900, 1200]) {
      const running = runCommand(['copy', '--from', folder, '--to', url])
      const timer = setTimeout(() => process.kill(running.pid, 'SIGKILL'), afterMs)
      await running.ended
      clearTimeout(timer)
    }
    const whole = await copy(folder, url)
    expect(whole).toMatchObject({ code: 0, stderr: '' })
    expect(whole.stdout).toMatch(/ 80\d records and /)
  }, 60_000)

  it('refuses a destination with other data, a place that is used, and a place that does not exist', async () => {
    const [folder, url] = [await fullFolder(), freshUrl()]
    const running = await startCommand([`--store=${url}`])
    expect((await copy(folder, url)).stderr).toMatch(/used by a running Localpost. Stop all its instances/)
    running.signal('SIGTERM')
    await running.ended
    expect(await copy(folder, url)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/The destination is not empty: it has "key_.*Copy into a new folder/),
    })
    const post = await createLocalpost({ dir: folder })
    onTestFinished(() => post.close())
    expect((await copy(folder, freshUrl())).stderr).toMatch(/store_in_use/)
    for (const none of [freshFolder(), fileURLToPath(import.meta.url)])
      expect(await copy(none, freshUrl())).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('There is no data folder'),
      })
    expect((await copy(url, url)).stderr).toMatch(/--from and --to are the same: "postgres:/)
    expect(await copy(freshUrl(), freshFolder())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The source has no records. Check its address'),
    })
    expect((await runToEnd(['copy', '--from', folder])).stderr).toMatch(/copy takes --from and --to/)
  })
})
