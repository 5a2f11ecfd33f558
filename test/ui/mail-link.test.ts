import { describe, expect, it } from 'vitest'
import { ownOrigins, readLink } from '../../ui/views/inbox/mail-link.ts'

const own = { mailId: 'em_1', origins: ['http://127.0.0.1:1080', 'https://mail.acme.test'] }
const tokenOf = (payload: unknown): string =>
  `${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2lnbmF0dXJl`

describe('a link of a mail', () => {
  it.each(['https://acme.test/a?b=c#d', 'http://127.0.0.1:3000/', 'mailto:ada@example.com', 'tel:+491234'])(
    'is opened: %s',
    (href) => expect(readLink(` ${href}\n`, 'x', own)?.href).toBe(href),
  )

  it.each([
    'javascript:alert(1)',
    'JaVa\tScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:http://127.0.0.1/x',
    'file:///etc/passwd',
    'about:invalid',
    'view-source:http://acme.test',
    'filesystem:http://acme.test/x',
    'chrome://settings',
    'ftp://acme.test/x',
    '//acme.test',
    '/relative',
    '',
    `https://acme.test/${'x'.repeat(30_000)}`,
  ])('is not opened: %.40s', (href) => expect(readLink(href, 'x', own)).toBe(null))

  it.each([
    ['https://paypal.com/login', 'https://evil.test/', 'paypal.com'],
    ['paypal.com', 'https://paypal.com.evil.test/', 'paypal.com'],
    ['See https://acme.test/x.', 'https://evil.test/', 'acme.test'],
    ['www.acme.test', 'https://evil.test/', 'www.acme.test'],
    ['аpple.com', 'https://apple.com/', 'xn--pple-43d.com'],
    ['acme.test', 'https://www.acme.test/', null],
    ['https://acme.test', 'https://click.acme.test/', null],
    ['Node.js', 'https://nodejs.org/', null],
    ['report.pdf', 'https://acme.test/', null],
    ['Click here', 'https://evil.test/', null],
    ['acme.test', 'mailto:ada@else.test', null],
  ])('whose text is %s and that leads to %s shows another host: %s', (text, href, shown) =>
    expect(readLink(href, text, own)?.shownHost).toBe(shown),
  )

  it('that is tracked names its target, if the token is of this mail', () => {
    const href = (mail: string, link: string): string =>
      `http://127.0.0.1:1080/t/c/${tokenOf([1, 'c', mail, 0, link])}`
    const target = 'https://acme.test/ü?a=b'
    expect(readLink(href('em_1', target), 'acme.test', own)).toMatchObject({
      target: new URL(target).href,
      shownHost: null,
    })
    expect(readLink(href('em_2', target), '', own)?.target).toBe(null)
    expect(readLink(href('em_1', 'javascript:alert(1)'), '', own)?.target).toBe(null)
    expect(readLink('http://127.0.0.1:1080/t/c/%%%.x', '', own)?.target).toBe(null)
    expect(readLink('http://127.0.0.1:1080/t/c/bm8.x', '', own)?.target).toBe(null)
  })

  it.each([
    'http://127.0.0.1:1080/t/c/TOKEN',
    'https://mail.acme.test/t/c/TOKEN',
    'https://MAIL.acme.test:443/below/t/c/TOKEN',
  ])('is tracked at an origin of the instance: %s', (href) => {
    const link = readLink(
      href.replace('TOKEN', tokenOf([1, 'c', 'em_1', 0, 'https://acme.test/'])),
      'acme.test',
      own,
    )
    expect(link).toMatchObject({ target: 'https://acme.test/', shownHost: null })
  })

  it.each([
    'https://evil.test/t/c/TOKEN',
    'http://127.0.0.1:1081/t/c/TOKEN',
    'https://127.0.0.1:1080/t/c/TOKEN',
    'http://127.0.0.1:1080.evil.test/t/c/TOKEN',
    'http://127.0.0.1:1080@evil.test/t/c/TOKEN',
    'https://evil.test/?u=http://127.0.0.1:1080/t/c/TOKEN',
    'http://mail.acme.test/t/c/TOKEN',
  ])('that another server may have written is shown as it is: %s', (href) => {
    const address = href.replace('TOKEN', tokenOf([1, 'c', 'em_1', 0, 'https://paypal.test/']))
    const url = URL.canParse(address) ? new URL(address) : null
    const link = readLink(address, 'paypal.test', own)
    if (url) expect(link).toEqual({ href: url.href, target: null, shownHost: 'paypal.test' })
    else expect(link).toBe(null)
  })

  it('has the origins of the page, the listener and the tracking addresses', () => {
    expect(ownOrigins(null, 'http://localhost:8025')).toEqual(['http://localhost:8025'])
    expect(
      ownOrigins(
        { url: 'http://127.0.0.1:8025', tracking_url: 'https://acme.test/mail' },
        'http://localhost:8025',
      ),
    ).toEqual(['http://localhost:8025', 'http://127.0.0.1:8025', 'https://acme.test'])
    expect(ownOrigins({ url: null, tracking_url: null }, 'http://localhost:1')).toEqual([
      'http://localhost:1',
    ])
  })
})
