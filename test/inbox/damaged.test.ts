import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createLocalpost } from '../../src/instance/create.ts'
import { open, refusalOf, type EmailList } from '../decisions/helpers.ts'
import { temporaryFolder } from '../support/folder.ts'

const attachments = [{ filename: 'a.txt', content: 'attached' }]

/** A folder with three mails: one that is whole, and two with damaged bytes. */
async function damagedFolder(): Promise<{ dir: string; whole: string; smtp: string; api: string }> {
  const dir = temporaryFolder()
  const face = await open({ dir })
  const mail = { from: 'hi@acme.test', to: 'ada@example.com', attachments }
  const text = 'These damaged bytes are seen'
  const html = `<p>${text}</p>`
  const whole = await face.submit({ ...mail, subject: 'Whole', text: 'Good' })
  const smtp = await face.submit({ ...mail, subject: 'By SMTP', text, html })
  const path = `data:text/plain;base64,${Buffer.from('attached').toString('base64')}`
  const api = await face.send({ subject: 'By API', text, html, attachments: [{ filename: 'a.txt', path }] })
  await face.settled(api)
  await face.settled(smtp)
  await face.post.close()
  const logs = join(dir, 'log')
  for (const name of await readdir(logs)) {
    const bytes = await readFile(join(logs, name))
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at + 7] = 0x21
    await writeFile(join(logs, name), bytes)
  }
  return { dir, whole, smtp, api }
}

type Call = readonly [method: string, path: string, body?: object]

/** Every route that reads the bytes of one mail. */
const reading: readonly Call[] = [
  ['GET', '/v1/emails/:id'],
  ['GET', '/dev/inbox/:id'],
  ['GET', '/dev/inbox/:id/raw'],
  ['GET', '/dev/inbox/:id/html'],
  ['GET', '/dev/inbox/:id/attachments/0'],
  ['GET', '/dev/inbox/:id/parts/0'],
  ['GET', '/dev/inbox/:id/checks'],
  ['POST', '/dev/inbox/:id/release', { to: 'bob@example.com' }],
]

/** Every route that does not. */
const others: readonly Call[] = [
  ['GET', '/v1/emails'],
  ['GET', '/dev/inbox'],
  ['GET', '/dev/inbox?query=By'],
  ['PATCH', '/dev/inbox/:id', { unread: false }],
  ['DELETE', '/dev/inbox/:id'],
]

it(
  'a damaged mail is store_corrupt wherever its bytes are read, and nowhere else',
  { timeout: 60_000 },
  async () => {
    const { dir, whole, smtp, api } = await damagedFolder()
    const relay = await createLocalpost()
    onTestFinished(() => relay.close())
    await relay.listen()
    const face = await open({ dir, relay: `smtp://127.0.0.1:${relay.smtp.port}` })
    const { emails } = await face.get<EmailList>('/v1/emails')
    expect(emails.map(({ id }) => id)).toEqual([api, smtp, whole])
    for (const id of [smtp, api]) {
      for (const [method, path, body] of reading) {
        const refused = await refusalOf(await face.call(method, path.replace(':id', id), { body }))
        expect(refused, path).toMatchObject({ status: 500, name: 'store_corrupt' })
        expect(refused.message).toMatch(/\d{6}\.log:\d+: the \d+ bytes/)
      }
    }
    // A download that has begun cannot become an error: it breaks off, so that it is not taken for whole.
    const archive = await face.call('GET', '/dev/inbox/export')
    await expect(archive.arrayBuffer()).rejects.toMatchObject({ code: 'store_corrupt' })
    for (const [method, path, body] of reading)
      expect((await face.call(method, path.replace(':id', whole), { body })).status, path).toBe(200)
    for (const id of [smtp, api, whole])
      for (const [method, path, body] of others)
        expect((await face.call(method, path.replace(':id', id), { body })).status, path).toBe(200)
  },
)
