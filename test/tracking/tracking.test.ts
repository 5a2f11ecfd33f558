import { extractLinks } from '../../src/reading/links.ts'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { describe, expect, it } from 'vitest'
import type { LocalpostOptions } from '../../src/options/options.ts'
import { open, openOverSocket, statusesOf } from '../decisions/helpers.ts'
import { copyOf, eventsOf, expectUnknown, sendTracked, track, tracked, visit } from './_mail.ts'
import { submit } from '../support/submit.ts'

const link = 'https://shop.test/a?x=1&y=%20ü'

describe.each([
  ['in process', (options?: LocalpostOptions) => open(options), 'http://localpost'],
  ['over a socket', (options?: LocalpostOptions) => openOverSocket(options), null],
])('tracked mail, %s', (_, start, base) => {
  it('records openings and clicks, and redirects to the original target', async () => {
    const face = await start()
    await track(face)
    const id = await sendTracked(face)
    const copy = await copyOf(face, id)
    const own = base ?? face.post.url
    expect(copy.links).toEqual([expect.stringContaining(`${own}/t/c/`), 'https://shop.test/b'])
    expect(copy.pixel).toContain(`${own}/t/o/`)

    const image = await visit(face, copy.pixel ?? '', { headers: { 'user-agent': 'Reader/1' } })
    expect(image.status).toBe(200)
    expect(Object.fromEntries(image.headers)).toMatchObject({
      'content-type': 'image/gif',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'cross-origin',
    })
    const gif = Buffer.from(await image.arrayBuffer())
    expect([gif.toString('latin1', 0, 6), gif.readUInt16LE(6), gif.readUInt16LE(8), gif.at(-1)]).toEqual([
      'GIF89a',
      1,
      1,
      0x3b,
    ])

    const redirect = await visit(face, copy.first, { headers: { 'user-agent': `R\x80${'x'.repeat(600)}` } })
    expect([redirect.status, await redirect.text()]).toEqual([302, ''])
    expect(Object.fromEntries(redirect.headers)).toMatchObject({
      location: 'https://shop.test/a?x=1&y=%20%C3%BC',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })

    const by = { timestamp: expect.any(Number) as number, ip: '127.0.0.1' }
    expect((await eventsOf(face, id)).slice(2)).toEqual([
      { ...by, status: 'opened', user_agent: 'Reader/1' },
      { ...by, status: 'clicked', user_agent: `R${'x'.repeat(511)}`, link },
    ])
    expect((await face.detail(id)).last_event).toEqual({
      ...by,
      recipient: 'ada@example.com',
      status: 'clicked',
      user_agent: `R${'x'.repeat(511)}`,
      link,
    })
  })

  it('works on pages of other origins and without a key, and HEAD and prefetch requests cause no event', async () => {
    const face = await start()
    await track(face)
    const id = await sendTracked(face)
    const { pixel, first } = await copyOf(face, id)
    const before = (await eventsOf(face, id)).length
    for (const url of [pixel ?? '', first]) {
      const status = url === first ? 302 : 200
      const head = await visit(face, url, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([status, ''])
      for (const name of ['purpose', 'sec-purpose'])
        expect((await visit(face, url, { headers: { [name]: 'prefetch;prerender' } })).status).toBe(status)
      const post = await visit(face, url, { method: 'POST', headers: { origin: 'https://evil.test' } })
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
    expect((await eventsOf(face, id)).length).toBe(before)
    const headers = { origin: 'https://webmail.test', 'sec-fetch-site': 'cross-site' }
    for (const url of [pixel ?? '', first]) await visit(face, url, { headers })
    expect((await eventsOf(face, id)).length).toBe(before + 2)
  })

  it('counts ten simultaneous hits as ten, in ascending order', async () => {
    const face = await start()
    await track(face)
    const id = await sendTracked(face)
    const { pixel, first } = await copyOf(face, id)
    await Promise.all(Array.from({ length: 10 }, (_, i) => visit(face, (i % 2 ? pixel : first) ?? '')))
    const events = await eventsOf(face, id)
    expect(events.filter(({ status }) => status === 'opened')).toHaveLength(5)
    expect(events.filter(({ status }) => status === 'clicked')).toHaveLength(5)
    const times = events.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  it('answers forged, foreign and other tokens with 404 and no event', async () => {
    const [face, other] = [await start(), await open()]
    await Promise.all([track(face), track(other)])
    const id = await sendTracked(face)
    const { pixel, first } = await copyOf(face, id)
    const foreign = await copyOf(other, await sendTracked(other))
    const root = new URL(first).origin
    const token = first.slice(first.lastIndexOf('/') + 1)
    const payload = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()
    const elsewhere = Buffer.from(payload.replace('shop.test', 'evil.test')).toString('base64url')
    for (const path of [
      `/t/c/${elsewhere}.${token.split('.')[1]}`,
      `/t/c/${token.slice(0, -1)}`,
      `/t/c/${token}A`,
      `/t/c/${token.split('.')[0]}`,
      `/t/c/${token.toUpperCase()}`,
      `/t/c/https%3A%2F%2Fevil.test`,
      `/t/c/${token.split('.')[0]}.`,
      `/t/c/%00`,
      `/t/o/${token}`,
      `/t/u/${token}`,
      new URL(pixel ?? '').pathname.replace('/o/', '/c/'),
      new URL(foreign.first).pathname,
      '/t/c/',
      '/t/x/y',
    ])
      await expectUnknown(await visit(face, root + path))
    expect((await eventsOf(face, id)).map(({ status }) => status)).toEqual(['sent', 'delivered'])
  })

  it('of a removed email is unknown, and after a permanent bounce no event is added', async () => {
    const face = await start()
    await track(face)
    const to = 'ada@example.com, bounce@simulator.localpost'
    const id = await sendTracked(face, { to })
    const bounced = await copyOf(face, id, 'Bounce@simulator.localpost')
    expect((await visit(face, bounced.pixel ?? '')).headers.get('content-type')).toBe('image/gif')
    expect((await visit(face, bounced.first)).headers.get('location')).toContain('shop.test')
    expect(statusesOf(await face.detail(id))).toEqual({
      'ada@example.com': ['sent', 'delivered'],
      'bounce@simulator.localpost': ['sent', 'bounced'],
    })
    await face.post.inbox.remove(id)
    for (const url of [bounced.pixel ?? '', bounced.first]) await expectUnknown(await visit(face, url))
  })
})

describe('a copy', () => {
  it('of its own is sent to every recipient, signed, and different only in the addresses', async () => {
    const face = await open()
    const { dns_records } = await track(face)
    const names = ['ada@example.com', 'bounce@simulator.localpost', 'bob@example.com']
    const attachments = [{ filename: 'a.txt', path: `data:text/plain,${'x'.repeat(1000)}` }]
    const id = await sendTracked(face, { to: names[0], cc: names[1], bcc: names[2], attachments })
    expect(statusesOf(await face.detail(id))).toEqual({
      'ada@example.com': ['sent', 'delivered'],
      'bounce@simulator.localpost': ['sent', 'bounced'],
      'bob@example.com': ['sent', 'delivered'],
    })
    const copies = await Promise.all(names.map((name) => copyOf(face, id, name)))
    expect(new Set(copies.flatMap(({ first, pixel }) => [first, pixel])).size).toBe(6)
    expect((await copyOf(face, id)).raw.equals(copies[0]?.raw ?? Buffer.alloc(0))).toBe(true)
    for (const { raw, html } of copies) {
      const { results } = await dkimVerify(raw, { resolver: async () => [[dns_records[0]?.value ?? '']] })
      expect(results.map(({ status }) => status.result)).toEqual(['pass'])
      expect(raw.toString('latin1')).not.toContain('bob@')
      expect(html.replace(/\/t\/\w\/[\w.-]+/g, '')).toBe(copies[0]?.html.replace(/\/t\/\w\/[\w.-]+/g, ''))
    }
    const ids = copies.map(({ raw }) => /^Message-ID: .*$/im.exec(raw.toString('latin1'))?.[0])
    expect(new Set(ids).size).toBe(1)
    await visit(face, copies[2]?.first ?? '')
    expect(statusesOf(await face.detail(id))['bob@example.com']).toEqual(['sent', 'delivered', 'clicked'])
    const nobody = await face.call('GET', `/dev/inbox/${id}/html?recipient=nobody@example.com`)
    expect([nobody.status, await nobody.json()]).toMatchObject([
      404,
      { message: expect.stringContaining('bob@example.com') as string },
    ])
    await expect(face.post.inbox.raw(id, { recipient: 'x' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('does not change the text, the shown HTML and the list of links', async () => {
    const face = await open()
    await track(face)
    const id = await sendTracked(face)
    expect(await face.detail(id)).toMatchObject({ html: tracked.html, text: tracked.text })
    const mail = await face.mail(id)
    expect(mail.html).toBe(tracked.html)
    expect(mail.links[0]?.href).toBe(link)
    expect((await copyOf(face, id)).raw.toString()).toContain('See https://shop.test/a')
  })

  it('above 256 KiB is stored and delivered like any other', async () => {
    const face = await open()
    await track(face)
    const path = `data:application/octet-stream;base64,${Buffer.alloc(400_000, 7).toString('base64')}`
    const to = 'ada@example.com, bob@example.com'
    const id = await sendTracked(face, { to, attachments: [{ filename: 'a', path }] })
    const [ada, bob] = [await copyOf(face, id, 'ada@example.com'), await copyOf(face, id, 'bob@example.com')]
    expect(ada.first).not.toBe(bob.first)
    expect(bob.raw.length).toBeGreaterThan(500_000)
    expect((await face.post.inbox.attachment(id, 0)).content).toHaveLength(400_000)
  })

  it.each([
    ['openings only', { open: true, click: false }, [false, true]],
    ['clicks only', { open: false, click: true }, [true, false]],
  ])('of a domain that tracks %s', async (_, settings, [hasLink, hasPixel]) => {
    const face = await open()
    await track(face, settings)
    const { first, pixel } = await copyOf(face, await sendTracked(face))
    expect([first.includes('/t/c/'), pixel !== null]).toEqual([hasLink, hasPixel])
  })

  it('is not made of mail without HTML, or of a domain without tracking', async () => {
    const face = await open()
    await track(face, { open: false, click: false }, 'plain.test')
    await track(face)
    const to = 'ada@example.com, bob@example.com'
    for (const over of [{ from: 'a@plain.test' }, { from: 'a@unheard.test' }, { html: undefined }]) {
      const id = await sendTracked(face, { ...over, to })
      const copies = await Promise.all(to.split(', ').map((name) => copyOf(face, id, name)))
      expect(copies[0]?.raw.equals(copies[1]?.raw ?? Buffer.alloc(0))).toBe(true)
      expect(copies[0]?.raw.toString()).not.toContain('/t/')
      expect(copies[0]?.links).toEqual(
        over.html === undefined && 'html' in over
          ? []
          : extractLinks(tracked.html, '').map(({ href }) => href),
      )
    }
  })

  it('is not made of a submission', async () => {
    const face = await open()
    await track(face)
    const { html, from, to } = tracked
    const id = await submit(face.post, { from, to, html })
    expect((await copyOf(face, id)).links).toEqual(extractLinks(html, '').map(({ href }) => href))
  })
})

describe('the address', () => {
  it('uses the public URL where one is set, and the listener accepts its host', async () => {
    const publicUrl = 'http://mail.acme.test:8025/'
    const face = await openOverSocket({ publicUrl })
    await track(face)
    const id = await sendTracked(face)
    const { first, pixel } = await copyOf(face, id)
    expect(first).toMatch(/^http:\/\/mail\.acme\.test:8025\/t\/c\//)
    const { request } = await import('node:http')
    const ask = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const { port } = new URL(face.post.url ?? '')
        const path = new URL(pixel ?? '').pathname
        request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect(await ask('mail.acme.test:8025')).toBe(200)
    expect(await ask('evil.test')).toBe(403)
    expect((await eventsOf(face, id)).map(({ status }) => status)).toEqual(['sent', 'delivered', 'opened'])
  })

  it('is fixed when the message is written', async () => {
    const face = await open()
    await track(face)
    const before = await copyOf(face, await sendTracked(face))
    const { url } = await face.post.listen()
    const after = await copyOf(face, await sendTracked(face))
    expect([new URL(before.first).origin, new URL(after.first).origin]).toEqual(['http://localpost', url])
    const own = await sendTracked(face, {
      html: `<a href="${before.first}">x</a><a href="${url}/t/u/x">y</a>`,
    })
    expect((await copyOf(face, own)).links[1]).toBe(`${url}/t/u/x`)
  })
})
