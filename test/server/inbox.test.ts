import { expect, test } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { disposition } from '../../src/server/dev/guarded-bytes.ts'
import { describeBoth } from './_face.ts'
import { goodMail } from '../support/mail.ts'
import { submit } from '../support/submit.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const submitReceipt = (post: Localpost): Promise<string> =>
  submit(post, {
    from: 'shop@acme.test',
    subject: 'Receipt',
    html: '<script>alert(1)</script><img src="cid:logo"><img src="http://tracker.test/x.png">',
    attachments: [
      { filename: 'logo.png', cid: 'logo', content: png },
      {
        filename: 'Rechnung "März".svg',
        contentType: 'image/svg+xml',
        content: '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
      },
      { filename: 'page.html', contentType: 'text/html', content: '<script>1</script>' },
      { filename: 'a.pdf', contentType: 'application/PDF', content: '%PDF-1.7' },
      { filename: 'b.pdf', contentType: 'application/pdf+xml', content: '<script>1</script>' },
    ],
  })

describeBoth('/dev/inbox', (open) => {
  test('lists, searches, pages and reads mail', async () => {
    const { call, post } = await open()
    for (const subject of ['one', 'two', 'three']) {
      await call('POST', '/v1/emails', { body: { ...goodMail, subject } })
      await post.inbox.waitFor({ subject })
    }
    const first = (await (await call('GET', '/dev/inbox?limit=2')).json()) as {
      cursor: string
      emails: { id: string }[]
    }
    expect(first).toMatchObject({
      count: 3,
      emails: [{ subject: 'three', unread: true, source: 'api' }, { subject: 'two' }],
    })
    expect(await (await call('GET', `/dev/inbox?limit=2&cursor=${first.cursor}`)).json()).toMatchObject({
      cursor: null,
      emails: [{ subject: 'one' }],
    })
    expect(await (await call('GET', '/dev/inbox?query=two')).json()).toMatchObject({
      count: 1,
      emails: [{ subject: 'two' }],
    })
    const detail = await call('GET', `/dev/inbox/${first.emails[0]?.id}`)
    expect(await detail.json()).toMatchObject({
      subject: 'three',
      envelope: { rcpt_to: ['ada@example.com'] },
    })
    for (const query of ['limit=0', 'limit=501', 'limit=x']) {
      expect((await call('GET', `/dev/inbox?${query}`)).status).toBe(422)
    }
    expect((await call('GET', '/dev/inbox/em_x')).status).toBe(404)
  })

  test('refuses a misspelt query parameter, which would select every mail', async () => {
    const { call } = await open()
    await call('POST', '/v1/emails', { body: goodMail })
    for (const [method, path] of [
      ['GET', '/dev/inbox?qeury=to:nobody'],
      ['GET', '/dev/inbox/wait?qeury=to:nobody'],
      ['GET', '/dev/inbox/export?qeury=to:nobody'],
      ['DELETE', '/dev/inbox?all=true&qeury=to:nobody'],
    ] as const) {
      const answer = await call(method, path)
      expect([answer.status, await answer.json()]).toMatchObject([
        422,
        { message: 'query: has unknown members: qeury (did you mean query?)' },
      ])
    }
    expect(await (await call('GET', '/dev/inbox')).json()).toMatchObject({ count: 1 })
  })

  test('marks and tags mail', async () => {
    const { call } = await open()
    const { id } = (await (await call('POST', '/v1/emails', { body: goodMail })).json()) as { id: string }
    const changed = await call('PATCH', `/dev/inbox/${id}`, { body: { unread: false, tags: ['a', 'b'] } })
    expect(await changed.json()).toMatchObject({ id, unread: false, tags: ['a', 'b'] })
    expect((await call('PATCH', `/dev/inbox/${id}`, { body: { unread: 'yes' } })).status).toBe(422)
    expect((await call('PATCH', '/dev/inbox/em_x', { body: {} })).status).toBe(404)
  })

  test('removes one mail, the matches of a query, or all; but not by accident', async () => {
    const { call } = await open()
    const ids: string[] = []
    for (const subject of ['one', 'two', 'three']) {
      const sent = await call('POST', '/v1/emails', { body: { ...goodMail, subject } })
      ids.push(((await sent.json()) as { id: string }).id)
    }
    for (const query of ['', '?query=', '?all=false', '?all=true&query=one', '?query=%20']) {
      expect([query, (await call('DELETE', `/dev/inbox${query}`)).status]).toEqual([query, 422])
    }
    expect(await (await call('DELETE', `/dev/inbox/${ids[0]}`)).json()).toEqual({ deleted: 1 })
    expect((await call('DELETE', `/dev/inbox/${ids[0]}`)).status).toBe(404)
    expect(await (await call('DELETE', '/dev/inbox?query=two')).json()).toEqual({ deleted: 1 })
    expect(await (await call('DELETE', '/dev/inbox?all=true')).json()).toEqual({ deleted: 1 })
    expect(await (await call('GET', '/dev/inbox')).json()).toMatchObject({ count: 0 })
  })

  test('marks, tags and removes several mails at once', async () => {
    const { call } = await open()
    const ids: string[] = []
    for (const subject of ['one', 'two', 'three']) {
      const sent = await call('POST', '/v1/emails', { body: { ...goodMail, subject } })
      ids.push(((await sent.json()) as { id: string }).id)
    }
    const body = { ids: ids.slice(0, 2), unread: false, add_tags: ['x'] }
    expect(await (await call('PATCH', '/dev/inbox', { body })).json()).toEqual({ updated: 2 })
    const read = await call('GET', '/dev/inbox?query=is:read%20tag:x')
    expect(await read.json()).toMatchObject({ count: 2 })
    const byQuery = await call('PATCH', '/dev/inbox?query=one', { body: { remove_tags: ['x'] } })
    expect(await byQuery.json()).toEqual({ updated: 1 })
    for (const query of ['', '?query=one&all=true']) {
      const refused = await call('PATCH', `/dev/inbox${query}`, { body: { unread: true } })
      expect([refused.status, await refused.text()]).toEqual([
        422,
        expect.stringContaining('say which mails'),
      ])
    }
    const deleted = await call('DELETE', '/dev/inbox', { body: { ids: [ids[2], 'em_x'] } })
    expect(await deleted.json()).toEqual({ deleted: 1 })
  })

  test('imports a message and exports the matches', async () => {
    const { call } = await open()
    const raw = 'From: a@acme.test\r\nTo: b@x.test\r\nSubject: Latin \xe9\r\n\r\nHi'
    const headers = { 'content-type': 'message/rfc822' }
    const bytes = Buffer.from(raw, 'latin1')
    const imported = await call('POST', '/dev/inbox/import', { raw: bytes, headers })
    const { id } = (await imported.json()) as { id: string }
    expect(imported.status).toBe(200)
    const stored = await call('GET', `/dev/inbox/${id}/raw`)
    expect(Buffer.from(await stored.arrayBuffer())).toEqual(bytes)
    const refused = await call('POST', '/dev/inbox/import', { body: {} })
    expect([refused.status, await refused.text()]).toEqual([415, expect.stringContaining('message/rfc822')])
    const empty = await call('POST', '/dev/inbox/import', { raw: 'no message', headers })
    expect(empty.status).toBe(422)
    const zip = await call('GET', '/dev/inbox/export?query=from:acme')
    expect(zip.headers.get('content-type')).toBe('application/zip')
    expect(Buffer.from(await zip.arrayBuffer()).includes(bytes)).toBe(true)
    expect((await call('GET', '/dev/inbox/export?query=is:blue')).status).toBe(422)
  })

  test('waits for mail, or answers after a while that none arrived', async () => {
    const { call } = await open()
    const waiting = call('GET', '/dev/inbox/wait?query=hello&timeout_ms=10000')
    await call('POST', '/v1/emails', { body: goodMail })
    expect(await (await waiting).json()).toMatchObject({ subject: 'Hello' })
    const missed = await call('GET', '/dev/inbox/wait?query=nothing&timeout_ms=20')
    expect([missed.status, await missed.json()]).toMatchObject([
      404,
      {
        name: 'wait_timeout',
        message: expect.stringMatching(/nearest misses: em_.* subject "Hello"/) as string,
      },
    ])
    expect((await call('GET', '/dev/inbox/wait?timeout_ms=soon')).status).toBe(422)
    const two = call('GET', '/dev/inbox/wait?query=hello&count=2&timeout_ms=10000')
    await call('POST', '/v1/emails', { body: { ...goodMail, subject: 'hello again' } })
    expect(await (await two).json()).toMatchObject({ emails: [{ subject: 'hello again' }, { html: /./ }] })
    const few = await call('GET', '/dev/inbox/wait?query=hello&count=3&timeout_ms=20')
    expect(await few.json()).toMatchObject({
      name: 'wait_timeout',
      message: expect.stringContaining('Only 2 of 3 mails') as string,
    })
    expect((await call('GET', '/dev/inbox/wait?count=0')).status).toBe(422)
  })

  test('refuses to release without a relay', async () => {
    const { call, post } = await open()
    const id = await submitReceipt(post)
    const response = await call('POST', `/dev/inbox/${id}/release`, { body: { to: 'ada@real.test' } })
    expect([response.status, await response.json()]).toMatchObject([409, { name: 'relay_not_configured' }])
    expect((await call('POST', `/dev/inbox/${id}/release`, { body: {} })).status).toBe(422)
  })
})

describeBoth('the bytes of a mail', (open) => {
  test('are downloaded as a file', async () => {
    const { call, post } = await open()
    const id = await submitReceipt(post)
    const response = await call('GET', `/dev/inbox/${id}/raw`)
    expect(response.headers.get('content-type')).toBe('message/rfc822')
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="${id}.eml"; filename*=UTF-8''${id}.eml`,
    )
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.length).toBe(Number(response.headers.get('content-length')))
    expect(bytes.toString()).toContain('Subject: Receipt')
    expect((await call('GET', '/dev/inbox/em_x/raw')).status).toBe(404)
    const head = await call('HEAD', `/dev/inbox/${id}/raw`)
    expect([head.headers.get('content-length'), await head.text()]).toEqual([String(bytes.length), ''])
  })

  test('of the HTML have a policy that blocks all scripts and requests', async () => {
    const { call, post } = await open()
    const id = await submitReceipt(post)
    const response = await call('GET', `/dev/inbox/${id}/html`)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^sandbox allow-same-origin;/)
    expect(policy).not.toMatch(/allow-(?:scripts|forms|top-navigation|modals)/)
    expect(policy).toContain("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await response.text()).toContain('src="data:image/png;base64,')
    const page = { headers: { 'x-localpost-page': '1' } }
    const withImages = await call('GET', `/dev/inbox/${id}/html?images=remote`, page)
    expect(withImages.headers.get('content-security-policy')).toContain('img-src data: http: https:;')
    expect((await call('GET', `/dev/inbox/${id}/html?images=all`)).status).toBe(422)
  })

  test('of attachments are displayed only where they are plain images or PDFs', async () => {
    const { call, post } = await open()
    const id = await submitReceipt(post)
    const image = await call('GET', `/dev/inbox/${id}/attachments/0`)
    expect(image.headers.get('content-type')).toBe('image/png')
    expect(image.headers.get('content-disposition')).toMatch(/^inline; filename="logo.png"/)
    expect(Buffer.from(await image.arrayBuffer())).toEqual(png)
    const svg = await call('GET', `/dev/inbox/${id}/attachments/1`)
    expect(svg.headers.get('content-disposition')).toBe(
      'attachment; filename="Rechnung _M_rz_.svg"; filename*=UTF-8\'\'Rechnung%20%22M%C3%A4rz%22.svg',
    )
    const html = await call('GET', `/dev/inbox/${id}/attachments/2`)
    expect(html.headers.get('content-disposition')).toMatch(/^attachment;/)
    const pdf = await call('GET', `/dev/inbox/${id}/attachments/3`)
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
    expect(pdf.headers.get('content-disposition')).toMatch(/^inline; filename="a.pdf"/)
    const unlike = await call('GET', `/dev/inbox/${id}/attachments/4`)
    expect(unlike.headers.get('content-disposition')).toMatch(/^attachment;/)
    for (const { headers } of [image, svg, html, pdf, unlike]) {
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    }
    for (const index of ['5', '-1', 'x', '0x0', '1e0', '99999999999']) {
      expect([index, (await call('GET', `/dev/inbox/${id}/attachments/${index}`)).status]).toEqual([
        index,
        404,
      ])
    }
  })
})

test('a file name cannot break its header', () => {
  for (const name of [
    'a"b\r\nSet-Cookie: x',
    '../../etc/passwd',
    '\ud800.txt',
    "it's (1)*.txt",
    '\u202etxt.exe',
    '',
  ]) {
    const written = disposition('attachment', name)
    expect(written).toMatch(/^attachment; filename="[ !#-[\]-~]*"; filename\*=UTF-8''[\w%.!~-]*$/)
    expect(/filename="([^"]*)"/.exec(written)?.[1]).not.toMatch(/[\\/:]/)
  }
})
