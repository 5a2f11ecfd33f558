import { expect, it } from 'vitest'
import { goodMail } from '../support/mail.ts'
import { start } from '../support/instance.ts'

const shown = 8 * 1024 * 1024
const html = '<p>Grüße 😀 and more</p>\n'.repeat(400_000)

it('a body of an API send beyond 8 MiB is shown with its beginning, and the email has all of it', async () => {
  const post = await start()
  const { id } = await post.emails.send({ ...goodMail, html, text: 'short' })
  const status = async (): Promise<string | undefined> =>
    (await post.emails.list()).items[0]?.last_event.status
  await expect.poll(status, { timeout: 60_000 }).toBe('delivered')
  const mail = await post.inbox.get(id)
  expect(mail.html === html.slice(0, shown)).toBe(true)
  expect(mail.text).toBe('short')
  expect(mail.problem).toContain('A body has more than 8388608 bytes; its beginning is shown.')
  expect(mail.headers.map(([name]) => name)).toContain('Message-ID')
  expect((await post.inbox.html(id)) === html.slice(0, shown)).toBe(true)
  expect((await post.emails.get(id)).html === html).toBe(true)
}, 120_000)

it('large sends that come together wait for each other, and none is refused or lost', async () => {
  const post = await start()
  const { url } = await post.listen()
  const headers = { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' }
  const texts = ['a', 'b', 'c', 'd'].map((letter) => `${letter} line of words\n`.repeat(120_000))
  const ids = await Promise.all(
    texts.map(async (text) => {
      const body = JSON.stringify({ ...goodMail, text })
      const response = await fetch(`${url}/v1/emails`, { method: 'POST', headers, body })
      expect(response.status).toBe(200)
      return ((await response.json()) as { id: string }).id
    }),
  )
  for (const [i, id] of ids.entries()) expect((await post.emails.get(id)).text === texts[i]).toBe(true)
}, 120_000)

it('a mail of 40 MB is answered with its beginning, as text and in HTML', async () => {
  const post = await start()
  const header = 'From: hi@acme.test\r\nTo: ada@example.com\r\nContent-Type: text/html\r\n\r\n'
  const body = '<p>line &amp; more</p>\r\n'.repeat(1_600_000)
  const mail = await post.inbox.import(Buffer.from(header + body))
  const request = { text: 'Yes', html: '<p>Yes</p>', quote: true }
  const found = await post.inbox.get((await post.inbox.reply(mail, request)).id)
  expect(found.text.length).toBeLessThan(200_000)
  expect(found.text).toMatch(/wrote:\r?\n> line & more\r?\n>/)
  expect(found.text).toMatch(/> \[…\]\r?\n$/)
  expect(found.html).toContain('line &amp; more<br>')
  expect(found.size_bytes).toBeLessThan(1_000_000)
}, 120_000)
