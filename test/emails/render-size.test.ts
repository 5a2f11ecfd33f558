import { describe, expect, it } from 'vitest'
import { sentTo } from '../../src/emails/events.ts'
import { maxSubjectBytes, render } from '../../src/emails/render.ts'
import { toListItem } from '../../src/emails/views.ts'
import { LocalpostError } from '../../src/core/errors.ts'
import { toMailSummary } from '../../src/inbox/views.ts'
import { anEmail } from '../inbox/_email.ts'
import { start } from '../support/instance.ts'

const codeOf = (run: () => unknown): string | null => {
  try {
    run()
    return null
  } catch (error) {
    return error instanceof LocalpostError ? error.code : String(error)
  }
}
const parts = (over: object) => ({ subject: '', html: '', text: '', ...over })

describe('rendering', () => {
  it('stops before the expansion costs memory', () => {
    const variables = { a: 'x'.repeat(1_000_000) }
    const before = process.memoryUsage().rss
    for (const field of ['subject', 'html', 'text']) {
      expect(codeOf(() => render(parts({ [field]: '{{a}}'.repeat(100_000) }), variables))).not.toBeNull()
    }
    // All of it would be 300 GB.
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6)
  })

  it('escapes a long value, whatever is in it', () => {
    const { html } = render(parts({ html: '{{a}}' }), { a: '<"😀x'.repeat(200_000) }, true)
    expect(html === '&lt;&quot;😀x'.repeat(200_000)).toBe(true)
  })

  it('escapes a value once, however often it is used', () => {
    const value = '<'.repeat(200_000)
    const { html } = render(parts({ html: '{{a}}'.repeat(40) }), { a: value }, true)
    expect(html).toHaveLength(40 * 4 * value.length)
    expect(codeOf(() => render(parts({ html: '{{a}}'.repeat(51) }), { a: value }, true))).toBe(
      'message_too_large',
    )
  })

  it('counts the inserted value, not the placeholder', () => {
    const subject = `${'{{ a }}'.repeat(500)}${'x'.repeat(maxSubjectBytes)}`
    expect(codeOf(() => render(parts({ subject: subject.slice(0, maxSubjectBytes) }), { a: '' }))).toBeNull()
  })
})

describe('the limits of rendering', () => {
  it.each([
    ['subject', '{{a}}{{ b }}', { a: 'ä'.repeat(1996), b: '' }, null],
    ['subject', '{{a}}{{ b }}', { a: 'ä'.repeat(1996), b: 'x' }, 'validation_error'],
    ['html', '<{{a}}>'.repeat(10), { a: '&'.repeat(799_999), b: '' }, null],
    ['html', '<{{a}}>'.repeat(10), { a: '&'.repeat(800_000), b: '' }, 'message_too_large'],
    ['text', '{{a}} {{c}}', { a: 'x'.repeat(39_999_994), b: '' }, null],
    ['text', '{{a}} {{c}}', { a: 'x'.repeat(39_999_995), b: '' }, 'message_too_large'],
  ])('of %s are exact: %s', (field, source, variables, code) => {
    expect(codeOf(() => render(parts({ [field]: source }), variables, true))).toBe(code)
  })
})

describe('a broadcast', () => {
  it('is refused as a whole where the mail of one contact would be too large', async () => {
    const post = await start()
    const { id } = await post.audiences.create({ name: 'Friends' })
    await post.audiences.contacts.add(id, { email: 'ada@example.com', first_name: 'Ada' })
    await post.audiences.contacts.add(id, { email: 'zoe@example.com', first_name: 'Z'.repeat(500) })
    const mail = { audience_id: id, from: 'news@acme.test', subject: 'Hi', text: 'Hello' }
    const send = (over: object) => post.broadcasts.send({ ...mail, ...over })
    await expect(send({ subject: '{{first_name}}'.repeat(10) })).rejects.toMatchObject({
      code: 'validation_error',
    })
    await expect(send({ text: '{{first_name}}'.repeat(90_000) })).rejects.toMatchObject({
      code: 'message_too_large',
    })
    expect((await post.emails.list()).count).toBe(0)
  })
})

describe('a long subject', () => {
  it('is cut in both lists', () => {
    const email = { ...anEmail(1), subject: 'x'.repeat(100_000), recipients: [sentTo('b@x.test', 1)] }
    const cut = `${'x'.repeat(3991)}…`
    expect(toListItem(email).subject).toBe(cut)
    expect(toMailSummary(email, { snippet: '', attachment_count: 0 }).subject).toBe(cut)
  })
})
