import { describe, expect, it } from 'vitest'
import { cutText } from '../../src/core/text.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

const tagsTo = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, n) => `tag ${from + n}`)
const message = (field: string, to = 'ada@x.test'): Buffer =>
  Buffer.from(`From: a@shop.test\r\nTo: ${to}\r\nSubject: tagged\r\nX-Tags: ${field}\r\n\r\nHi\r\n`)

describe('a caller that adds tags beyond the limit', () => {
  it('gets 422 with the limit, whichever way; nothing is changed', async () => {
    const post = await start()
    await submit(post, { subject: 'full' })
    await submit(post, { subject: 'other' })
    const { id } = await post.inbox.waitFor('subject:full')
    const other = await post.inbox.waitFor('subject:other')
    await post.inbox.update(id, { tags: tagsTo(50) })
    const limit = { code: 'validation_error', status: 422 }
    const ways: [string, () => Promise<unknown>][] = [
      ['by query', () => post.inbox.updateMatching('subject:full', { add_tags: ['one more'] })],
      ['by ids', () => post.inbox.updateMatching({ ids: [other.id, id] }, { add_tags: ['one more'] })],
      [
        'all mail, which is marked too',
        () => post.inbox.updateMatching(null, { add_tags: ['x'], unread: false }),
      ],
      ['set and added', () => post.inbox.updateMatching(null, { tags: tagsTo(50), add_tags: ['x'] })],
      [
        'a part removed',
        () => post.inbox.updateMatching(null, { remove_tags: ['tag 1'], add_tags: ['x', 'y'] }),
      ],
      ['set at one mail', () => post.inbox.update(other.id, { tags: tagsTo(51) })],
      ['set at many', () => post.inbox.updateMatching(null, { tags: tagsTo(51) })],
      [
        'more than a mail can have',
        () => post.inbox.updateMatching('subject:other', { add_tags: tagsTo(51) }),
      ],
    ]
    for (const [way, change] of ways) {
      const error = await change().catch((thrown: unknown) => thrown)
      expect(error, way).toMatchObject(limit)
      expect(JSON.stringify(error), way).toMatch(/more than 50 tags|at most 50/)
      const mails = [await post.inbox.get(id), await post.inbox.get(other.id)]
      expect(
        mails.map(({ tags, unread }) => [tags.length, unread]),
        way,
      ).toEqual([
        [50, true],
        [0, true],
      ])
    }
    // What does not exceed it is stored: a tag that is there already, in any case, and one that replaces another.
    expect(await post.inbox.updateMatching(null, { add_tags: ['TAG 7'] })).toBe(2)
    expect(
      await post.inbox.updateMatching('subject:full', { remove_tags: ['tag 1'], add_tags: ['new'] }),
    ).toBe(1)
    expect((await post.inbox.get(id)).tags).toEqual([...tagsTo(49, 2), 'new'])
  })

  it('learns over HTTP how many mails it is, and which', async () => {
    const post = await start()
    for (let n = 0; n < 13; n++) await submit(post, { subject: n < 12 ? 'full' : 'other' })
    await post.inbox.updateMatching('subject:full', { tags: tagsTo(49) })
    const response = await post.fetch(
      new Request('http://127.0.0.1/dev/inbox?all=true', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ add_tags: ['a', 'b'] }),
      }),
    )
    expect(response.status).toBe(422)
    const { errors } = (await response.json()) as { errors: { field: string; message: string }[] }
    expect(errors).toEqual([
      {
        field: 'add_tags',
        message: expect.stringMatching(
          /^would give 12 of 13 mails more than 50 tags: em_\w+(?:, em_\w+){9} and 2 more\. None of them was changed\. /,
        ),
      },
    ])
    expect(await post.inbox.updateMatching(null, { add_tags: ['a'] })).toBe(13)
  })
})

describe('a mail that arrives with too many or too long tags', () => {
  it('keeps the first 50, and says so', async () => {
    const post = await start()
    const { id } = await post.inbox.import(message(tagsTo(51).join(', ')))
    const mail = await post.inbox.get(id)
    expect(mail.tags).toEqual(tagsTo(50))
    expect(mail.problem).toBe('The mail names more than 50 tags; the first 50 are kept.')
    const whole = await post.inbox.import(message([...tagsTo(50), 'tag 3', ' '].join(',')))
    expect(await post.inbox.get(whole.id)).toMatchObject({ tags: tagsTo(50), problem: null })
  })

  it('also by SMTP and an API send, where recipients give tags', async () => {
    const post = await start()
    const to = tagsTo(51).map((_, n) => `ada+t${n}@x.test`)
    await submit(post, { to, subject: 'smtp' })
    const submitted = await post.inbox.waitFor('subject:smtp')
    expect(submitted.tags).toHaveLength(50)
    expect(submitted.problem).toContain('The mail names more than 50 tags')
  })

  it('has long tags shortened, never to half of a character', async () => {
    const post = await start()
    const long = `a${'😀'.repeat(60)}`
    const encoded = `=?UTF-8?B?${Buffer.from(`${long}, short`).toString('base64')}?=`
    const { id } = await post.inbox.import(message(encoded, `ada+${'p'.repeat(120)}@x.test`))
    const mail = await post.inbox.get(id)
    expect(mail.tags).toEqual([`a${'😀'.repeat(49)}`, 'short', 'p'.repeat(100)])
    expect(mail.problem).toBe('2 tags have more than 100 characters and are shortened.')
    expect(await post.inbox.updateMatching(null, { add_tags: mail.tags })).toBe(1)
  })

  it('is accepted with a field of a megabyte, of one tag or of many', async () => {
    const post = await start()
    for (const field of ['x'.repeat(900_000), 'y,'.repeat(450_000), `${'z'.repeat(90)}, `.repeat(9000)]) {
      const { id } = await post.inbox.import(message(field))
      const mail = await post.inbox.get(id)
      expect(mail.tags).toHaveLength(1)
      expect(mail.problem).toMatch(/X-Tags has \d+ characters; tags are read from the first 8192\./)
    }
  })
})

it('a header field that the list has only in part is named', async () => {
  const post = await start()
  const subject = `${'a'.repeat(4095)}😀 end`
  const encoded = subject
    .match(/.{1,10}/gsu)
    ?.map((part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`)
    .join('\r\n ')
  const { id } = await post.inbox.import(
    Buffer.from(`From: a@shop.test\r\nTo: ada@x.test\r\nSubject: ${encoded}\r\n\r\nHi\r\n`),
  )
  const mail = await post.inbox.get(id)
  expect(mail.subject).toBe('a'.repeat(4095))
  expect(mail.problem).toBe(
    'More than 4096 characters, of which the list and searches have the beginning: Subject.',
  )
})

it('cutting a text keeps surrogate pairs whole', () => {
  for (const text of ['a😀b', '😀😀', 'abc', '\ud83d', ''])
    for (let most = 0; most <= text.length + 1; most++) {
      const cut = cutText(text, most)
      expect(text.startsWith(cut)).toBe(true)
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, most) - 1)
      expect(cut.length).toBeLessThanOrEqual(most)
      if (!/^\ud83d$/.test(text)) expect(cut).not.toMatch(/[\ud800-\udbff]$/)
    }
})
