import { describe, expect, it } from 'vitest'
import { type Localpost, type LocalpostOptions, type Notice } from '../../src/index.ts'
import { start } from '../support/instance.ts'

const mail = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hi {{name}}', text: 'Hello' }

async function open(options: LocalpostOptions = {}): Promise<{ post: Localpost; notices: Notice[] }> {
  const notices: Notice[] = []
  const post = await start({ onNotice: (notice) => notices.push(notice), ...options })
  return { post, notices }
}
const placeholder = '{{name}} has no variable and stays as written'
const unregistered = 'domain "acme.test" is not registered; it counts as verified until it is created'

describe('the warnings of a send', () => {
  it('are in the answer on request, and not otherwise', async () => {
    const { post } = await open()
    const answer = await post.emails.send(mail, { warnings: true })
    expect(answer).toEqual({ id: expect.stringMatching(/^em_/), warnings: [placeholder, unregistered] })
    expect(await post.emails.send(mail)).toEqual({ id: expect.any(String) })
    expect(await post.emails.send(mail, { warnings: false })).toEqual({ id: expect.any(String) })
    await expect(post.emails.send(mail, JSON.parse('{"warnings":"yes"}'))).rejects.toMatchObject({
      code: 'invalid_option',
    })
  })

  it('reach onNotice, each text once', async () => {
    const { post, notices } = await open()
    for (let i = 0; i < 3; i++) await post.emails.send(mail)
    await post.emails.send({ ...mail, subject: 'Hi {{other}}' })
    expect(notices).toEqual([
      { level: 'warning', message: `emails.send(): ${placeholder}.` },
      { level: 'warning', message: `emails.send(): ${unregistered}.` },
      { level: 'warning', message: `emails.send(): ${placeholder.replace('name', 'other')}.` },
    ])
  })

  it('reach onNotice a hundred times at most, and the last notice says where the others are', async () => {
    const { post, notices } = await open()
    for (let i = 0; i < 110; i++) await post.emails.send({ ...mail, subject: `{{name${i}}}` })
    expect(notices).toHaveLength(101)
    expect(notices.at(-1)?.message).toContain('more than 100 different warnings')
    const { items } = await post.requests.list({ limit: 1 })
    expect(items[0]?.warnings[0]).toContain('{{name109}}')
  })

  it('are errors with strict, without a notice', async () => {
    const { post, notices } = await open({ strict: true })
    await post.domains.create({ name: 'acme.test' })
    await expect(post.emails.send(mail)).rejects.toThrow(placeholder)
    expect(notices).toEqual([])
    const { items } = await post.requests.list()
    expect(items).toMatchObject([{ status: 422, source: 'library' }])
  })
})

describe('the warnings of a broadcast', () => {
  it('are in its answer and reach onNotice', async () => {
    const { post, notices } = await open()
    const { id } = await post.audiences.create({ name: 'All' })
    await post.audiences.contacts.add(id, { email: 'ada@example.com' })
    const request = {
      audience_id: id,
      from: mail.from,
      subject: '{{first_name}}, {{email}} {{name}}',
      text: 'x',
    }
    const { warnings, count } = await post.broadcasts.send(request)
    expect({ warnings, count }).toEqual({ warnings: [placeholder, unregistered], count: 1 })
    expect(notices.map(({ message }) => message)).toEqual([
      `broadcasts.send(): ${placeholder}.`,
      `broadcasts.send(): ${unregistered}.`,
    ])
  })
})

describe('post.requests', () => {
  it('has sends of the library in the form that /dev/requests has for HTTP', async () => {
    const { post } = await open()
    const sent = await post.emails.send({ ...mail, attachments: [] })
    const authorization = `Bearer ${post.apiKey}`
    const body = JSON.stringify(mail)
    const request = { method: 'POST', body, headers: { authorization, 'content-type': 'application/json' } }
    await (await post.fetch(new Request('http://localpost/v1/emails', request))).json()
    await post.emails.send({ ...mail, to: '' }).catch(() => {})
    const { items, count } = await post.requests.list()
    expect(count).toBe(3)
    const common = { method: 'POST', path: '/v1/emails', duration_ms: expect.any(Number) }
    expect(items).toMatchObject([
      {
        ...common,
        source: 'library',
        status: 422,
        response_body: expect.stringContaining('validation_error'),
      },
      { ...common, source: 'http', status: 200, warnings: [placeholder, unregistered], request_body: body },
      {
        ...common,
        source: 'library',
        status: 200,
        api_key: null,
        warnings: [placeholder, unregistered],
        request_body: JSON.stringify({ ...mail, attachments: [] }),
        response_body: JSON.stringify(sent),
      },
    ])
    const shown = await (await post.fetch(new Request('http://localpost/dev/requests'))).json()
    expect(shown).toMatchObject({ requests: items })
    expect(await post.requests.list({ limit: 1, cursor: items[0]!.id })).toMatchObject({ items: [items[1]] })
  })

  it('is emptied by clear and by reset', async () => {
    const { post } = await open()
    for (const empty of [() => post.requests.clear(), () => post.reset()]) {
      await post.emails.send(mail)
      expect((await post.requests.list()).count).toBe(1)
      await empty()
      expect((await post.requests.list()).count).toBe(0)
    }
  })

  it('keeps 16 KiB of any request', async () => {
    const { post } = await open()
    await post.emails.send({ ...mail, text: 'ä'.repeat(1_000_000) })
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    for (const given of [loop, { big: 1n }, undefined, 'text'])
      await post.emails.send(given as never).catch(() => {})
    const { items } = await post.requests.list()
    expect(items.map(({ status }) => status)).toEqual([422, 422, 422, 422, 200])
    expect(items.map(({ request_body }) => request_body?.length ?? null)).toEqual([
      '"text"'.length,
      null,
      null,
      null,
      expect.closeTo(8192, -2),
    ])
  })

  it('notifies the page of a send at once', async () => {
    const { post } = await open()
    const live = await post.fetch(new Request('http://localpost/dev/events'))
    const reader = live.body!.pipeThrough(new TextDecoderStream()).getReader()
    await post.emails.send(mail)
    for (let text = ''; !text.includes('event: request.logged');)
      text += (await reader.read()).value ?? expect.fail('The stream ended.')
    await reader.cancel()
  })
})
