import { AssertionError } from 'node:assert'
import { describe, expect, it } from 'vitest'
import {
  assertCode,
  assertEvent,
  assertLink,
  assertNoEvent,
  assertNotSent,
  assertNoUnrenderedPlaceholders,
  assertSent,
} from '../../src/testing/index.ts'
import { start } from '../support/instance.ts'

const welcome = {
  from: 'Acme <hi@acme.test>',
  to: 'Ada <ada@example.com>',
  cc: 'bob@example.com',
  subject: 'Welcome, Ada',
  text: 'Your code is 481 516: https://acme.test/start?id=7',
  html: '<p>Your code is <b>481516</b>. <a href="https://acme.test/start?id=7">Begin here</a></p>',
}

/** What an assertion threw. */
async function failureOf(run: () => unknown): Promise<AssertionError> {
  try {
    await run()
  } catch (error) {
    if (error instanceof AssertionError) return error
    throw error
  }
  throw new Error('The assertion held.')
}

describe('what was sent', () => {
  it('is found by each of its members, and by all together', async () => {
    const post = await start()
    await post.emails.send(welcome)
    await assertSent(post)
    for (const expectation of [
      { to: 'ada@example.com' },
      { to: 'BOB@example.com' },
      { from: 'hi@acme.test' },
      { from: /^Acme/ },
      { subject: 'welcome' },
      { subject: /welcome/gi },
      { text: '481 516' },
      { html: /<b>\d+<\/b>/ },
      { to: /@example\.com$/, subject: 'Ada', text: 'code', count: 1 },
    ])
      await assertSent(post, expectation)
  })

  it('is waited for', async () => {
    const post = await start()
    const asserted = assertSent(post, { subject: 'Welcome', count: 2 })
    await post.emails.send(welcome)
    await post.emails.send(welcome)
    await asserted
  })

  it('does not include the mail of another recipient', async () => {
    const post = await start()
    await post.emails.send({ ...welcome, to: 'canada@example.com', cc: undefined })
    await assertNotSent(post, { to: 'ada@example.com' })
    await assertNotSent(post, { to: 'canada@example.com', subject: 'Goodbye', timeoutMs: 20 })
  })

  it('is compared with the nearest mail where it is missing', async () => {
    const post = await start()
    await post.emails.send({ ...welcome, to: 'eve@example.com', cc: undefined, subject: 'Something else' })
    const { id } = await post.emails.send(welcome)
    const error = await failureOf(() =>
      assertSent(post, { to: 'ada@example.com', subject: 'Goodbye', timeoutMs: 20 }),
    )
    expect(error.message).toContain('{ to: "ada@example.com", subject: "Goodbye" }')
    expect(error.message).toContain('none of 2 fits')
    expect(error.message).toContain(id)
    expect(error.actual).toEqual({ to: 'ada@example.com, bob@example.com', subject: 'Welcome, Ada' })
    expect(error.expected).toEqual({ to: 'ada@example.com, bob@example.com', subject: 'Goodbye' })
  })

  it('is reported by its number, and nothing sent at all is reported as such', async () => {
    const post = await start()
    const nothing = await failureOf(() => assertSent(post, { timeoutMs: 0 }))
    expect(nothing.message).toContain('no mail was sent at all')
    await post.emails.send(welcome)
    const one = await failureOf(() => assertSent(post, { to: 'ada@example.com', count: 2, timeoutMs: 20 }))
    expect(one.message).toMatch(/2 times .* one was sent/)
    expect(one.actual).toEqual({ to: 'ada@example.com', count: 1 })
    expect(one.expected).toEqual({ to: 'ada@example.com', count: 2 })
    const there = await failureOf(() => assertNotSent(post, { to: 'ada@example.com' }))
    expect(there.message).toMatch(/Expected no mail .* one was sent/)
  })
})

describe('an event', () => {
  it('is awaited, of any mail or of one', async () => {
    const post = await start()
    const { id } = await post.emails.send({ ...welcome, to: 'bounce@simulator.localpost', cc: undefined })
    await assertEvent(post, { status: 'bounced', type: 'Permanent', recipient: 'bounce@simulator.localpost' })
    await assertEvent(post, { id, smtp_response: /^5\d\d/ })
    await assertNoEvent(post, { id, status: 'opened' })
    const mail = await post.inbox.get(id)
    await assertEvent(mail, { status: 'bounced' })
    await assertNoEvent(mail, { status: 'delivered' })
  })

  it('that does not happen fails with what happened instead', async () => {
    const post = await start()
    const { id } = await post.emails.send({ ...welcome, cc: undefined })
    await post.inbox.waitFor(`id:${id}`)
    const error = await failureOf(() =>
      assertEvent(post, { status: 'clicked', recipient: 'ada@example.com', timeoutMs: 20 }),
    )
    expect(error.message).toMatch(/Expected an event .*clicked.* within 20 ms/)
    expect(error.message).toContain(`delivered to ada@example.com (${id})`)
    expect(error.expected).toEqual({ status: 'clicked', recipient: 'ada@example.com' })
    expect(error.actual).toMatchObject({ recipient: 'ada@example.com' })
    const nowhere = await failureOf(() => assertEvent(post, { id: 'em_none', timeoutMs: 0 }))
    expect(nowhere.message).toContain('nothing happened at all')
  })
})

describe('an expectation', () => {
  it('with an unknown member is refused, and the error lists the known ones', async () => {
    const post = await start()
    await expect(assertSent(post, JSON.parse('{"subjcet":"x"}'))).rejects.toThrow(/"subjcet".*"subject"/)
    await expect(assertEvent(post, JSON.parse('{"event":"x"}'))).rejects.toThrow(
      /An event has no member "event".*status/,
    )
    const { id } = await post.emails.send(welcome)
    const mail = await post.inbox.get(id)
    expect(() => assertLink(mail, JSON.parse('{"herf":"x"}'))).toThrow(/"herf".*"href"/)
  })
})

describe('an invalid value', () => {
  const parsed = (text: string): ReturnType<typeof JSON.parse> => JSON.parse(text)

  it.each([
    [
      '{"to":["a@b"]}',
      /to takes a text or a regular expression, not \["a@b"\]\. Check each of them separately/,
    ],
    ['{"subject":5}', /subject takes a text or a regular expression, not 5/],
    ['{"count":"2"}', /count takes a whole number from 0, not "2"/],
    ['{"timeoutMs":-1}', /timeoutMs takes a number of milliseconds from 0, not -1/],
    ['"x"', /described by an object with some of to, cc, from, .*, not by "x"/],
    ['null', /described by an object .* not by null/],
  ])('is refused in an expectation of a mail: %s', async (text, said) => {
    const post = await start()
    await expect(assertSent(post, parsed(text))).rejects.toThrow(said)
    await expect(assertNotSent(post, parsed(text))).rejects.toThrow(said)
  })

  it.each([
    ['{"status":"bouncd"}', /status takes one of sent, .*"bouncd"\. Did you mean "bounced"\?/],
    ['{"type":"Hard"}', /type takes one of Permanent, Transient, Undetermined, not "Hard"/],
    ['{"id":7}', /id takes a text, not 7/],
  ])('is refused in an expectation of an event: %s', async (text, said) => {
    const post = await start()
    await expect(assertEvent(post, parsed(text))).rejects.toThrow(said)
  })

  it('is refused in an expectation of a link, of a code and of the checks', async () => {
    const post = await start()
    const { id } = await post.emails.send(welcome)
    const mail = await post.inbox.get(id)
    expect(() => assertLink(mail, parsed('{"href":1}'))).toThrow('href takes a text or a regular expression')
    expect(() => assertLink(mail, parsed('null'))).toThrow('not by null')
    expect(() => assertCode(mail, parsed('481516'))).toThrow('A code takes a text or a regular expression')
    await expect(Reflect.apply(assertSent, null, [undefined])).rejects.toThrow(
      'assertSent looks at a Localpost instance: await assertSent(localpost, …). It was given a value of type undefined',
    )
    await expect(Reflect.apply(assertSent, null, [{}])).rejects.toThrow('It was given an object')
    await expect(Reflect.apply(assertSent, null, [Promise.resolve(post)])).rejects.toThrow('await it first')
    await expect(Reflect.apply(assertEvent, null, [null])).rejects.toThrow('It was given null')
    expect(() => Reflect.apply(assertCode, null, [{}])).toThrow('assertCode looks at a mail')
  })
})

describe('the content of a mail', () => {
  it('has links, codes, and no placeholder', async () => {
    const post = await start()
    await post.emails.send(welcome)
    const mail = await post.inbox.waitFor({ to: 'ada@example.com' })
    assertLink(mail)
    assertLink(mail, /start\?id=\d/)
    assertLink(mail, { href: 'acme.test', text: 'begin' })
    assertCode(mail)
    assertCode(mail, '481516')
    assertNoUnrenderedPlaceholders(mail)
    expect((await failureOf(() => assertLink(mail, 'reset'))).message).toContain(
      'https://acme.test/start?id=7',
    )
    expect((await failureOf(() => assertCode(mail, '999999'))).message).toContain('481516')
  })

  it('is an error with the position of a placeholder that was left', async () => {
    const post = await start()
    await post.emails.send({ ...welcome, subject: 'Hi {{ name }}', html: '<p>{{name}} {{first name}}</p>' })
    const mail = await post.inbox.waitFor({ to: 'ada@example.com' })
    const error = await failureOf(() => assertNoUnrenderedPlaceholders(mail))
    expect(error.message).toContain('{{ name }} {{name}} {{first name}}')
  })
})
