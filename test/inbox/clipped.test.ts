import { expect, it } from 'vitest'
import { start } from '../support/instance.ts'

const line = 'a line of words without a link\r\n'
const ofText = 'the first 200,000 characters of the text for codes.'
const ofBoth = `the first 1,000,000 characters of each body for links, and ${ofText}`

it.each<[string, string, number, string | null]>([
  ['text', 'text/plain', 190_000, null],
  ['text', 'text/plain', 250_000, `Only the beginning is searched: ${ofText}`],
  ['text', 'text/plain', 1_100_000, `Only the beginning is searched: ${ofBoth}`],
  ['HTML', 'text/html', 190_000, null],
  ['HTML', 'text/html', 1_100_000, `Only the beginning is searched: ${ofBoth}`],
])(
  'a mail says whether links and codes were looked for in all of it: %s, %s, %s',
  async (_, type, size, problem) => {
    const post = await start()
    const body = `${line.repeat(Math.ceil(size / line.length))}https://last.test/ Your code is 482913\r\n`
    const message = `From: a@acme.test\r\nTo: b@example.com\r\nContent-Type: ${type}\r\n\r\n${body}`
    const submitted = await post.inbox.get((await post.inbox.import(Buffer.from(message))).id)
    expect(submitted.problem).toBe(problem)
    // Where nothing is said, nothing is left out.
    if (problem === null) expect(submitted.codes).toEqual(['482913'])
    const content = type === 'text/html' ? { html: body } : { text: body }
    const sent = await post.emails.send({
      from: 'a@acme.test',
      to: 'b@example.com',
      subject: 's',
      ...content,
    })
    expect((await post.inbox.waitFor({ id: sent.id })).problem).toBe(problem)
    const { findings } = await post.inbox.check(submitted.id)
    const severity = findings.find(({ id }) => id === 'message')?.severity
    expect(severity).toBe(problem === null ? undefined : 'note')
  },
)
