import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { start } from '../support/instance.ts'

const content = Buffer.alloc(1_000_000, 'All work and no play makes Jack a dull boy. ')
const message = Buffer.from(
  [
    'From: bob@acme.test',
    'To: ada@example.com',
    'Subject: Report',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See the attachment: https://acme.test/report',
    '--b',
    'Content-Type: application/pdf; name=report.pdf',
    'Content-Disposition: attachment; filename=report.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    (content.toString('base64').match(/.{1,76}/g) ?? []).join('\r\n'),
    '--b--',
    '',
  ].join('\r\n'),
)
const sha256 = createHash('sha256').update(content).digest('hex')

/** Blocks the event loop for most of the time, as a busy machine does. */
function loaded<T>(run: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    const until = performance.now() + 20
    while (performance.now() < until);
  }, 20)
  return run().finally(() => clearInterval(timer))
}

it('40 simultaneous downloads of an attachment are all complete, also under load', async () => {
  const post = await start()
  const { url } = await post.listen()
  const { id } = await post.inbox.import(message)
  const downloads = await loaded(() =>
    Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const path = i % 2 ? `attachments/0` : `parts/1`
        const response = await fetch(`${url}/dev/inbox/${id}/${path}`)
        const bytes = Buffer.from(await response.arrayBuffer())
        return { status: response.status, isWhole: bytes.equals(content) }
      }),
    ),
  )
  expect(downloads).toEqual(Array.from({ length: 40 }, () => ({ status: 200, isWhole: true })))
})

it('40 simultaneous details and lists name the attachment, also under load', async () => {
  const post = await start()
  const { id } = await post.inbox.import(message)
  const details = await loaded(() =>
    Promise.all(Array.from({ length: 40 }, () => Promise.all([post.inbox.get(id), post.inbox.list()]))),
  )
  for (const [mail, { items }] of details) {
    expect(mail.attachments).toMatchObject([{ filename: 'report.pdf', size_bytes: content.length, sha256 }])
    expect(mail.links).toHaveLength(1)
    expect(mail.problem).toBeNull()
    expect(items[0]).toMatchObject({ attachment_count: 1 })
  }
})

it('a message can be requested by ranges', async () => {
  const post = await start()
  const { url } = await post.listen()
  const { id } = await post.inbox.import(message)
  const ask = async (range: string, path = 'raw') => {
    const response = await fetch(`${url}/dev/inbox/${id}/${path}`, { headers: { range } })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, range: response.headers.get('content-range'), bytes }
  }
  const size = message.length
  const cases: [string, number, number][] = [
    ['bytes=0-99', 0, 100],
    [`bytes=${size - 10}-`, size - 10, size],
    ['bytes=-7', size - 7, size],
    [`bytes=10-${size + 100}`, 10, size],
    [`bytes=-${size * 2}`, 0, size],
  ]
  for (const [range, start, end] of cases) {
    const answer = await ask(range)
    expect(answer).toMatchObject({ status: 206, range: `bytes ${start}-${end - 1}/${size}` })
    expect(answer.bytes.equals(message.subarray(start, end)), range).toBe(true)
  }
  for (const range of [`bytes=${size}-`, 'bytes=-0'])
    expect(await ask(range)).toMatchObject({ status: 416, range: `bytes */${size}` })
  for (const range of ['bytes=5-2', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=a-b']) {
    const answer = await ask(range)
    expect(answer.status, range).toBe(200)
    expect(answer.bytes.equals(message)).toBe(true)
  }
})

it('a body of many megabytes is cut at a readable length, and marked as cut', async () => {
  const post = await start()
  const { id } = await post.inbox.import(
    Buffer.concat([
      Buffer.from('From: a@x.test\r\nTo: b@x.test\r\nContent-Type: text/plain\r\n\r\n'),
      Buffer.alloc(20_000_000, 'long lines of text\r\n'),
    ]),
  )
  const mail = await post.inbox.get(id)
  expect(mail.text.length).toBeLessThan(9_000_000)
  expect(mail.text.startsWith('long lines of text\nlong')).toBe(true)
  expect(mail.problem).toContain('its beginning is shown')
  const { stream } = await post.inbox.part(id, 0)
  expect(Buffer.concat(await stream.toArray())).toHaveLength(20_000_000)
})
