import { describe, expect, it } from 'vitest'
import { readLink } from '../../ui/views/inbox/mail-link.ts'

const tokenOf = (payload: unknown): string =>
  `${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2lnbmF0dXJl`

describe('a link of a mail', () => {
  it.each(['https://acme.test/a?b=c#d', 'http://127.0.0.1:3000/', 'mailto:ada@example.com', 'tel:+491234'])(
    'is opened: %s',
    (href) => expect(readLink(` ${href}\n`, 'x', 'em_1')?.href).toBe(href),
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
  ])('is not opened: %.40s', (href) => expect(readLink(href, 'x', 'em_1')).toBe(null))

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
    expect(readLink(href, text, 'em_1')?.shownHost).toBe(shown),
  )

  it('that is tracked names its target, if the token is of this mail', () => {
    const href = (mail: string, link: string): string =>
      `http://127.0.0.1:1080/t/c/${tokenOf([1, 'c', mail, 0, link])}`
    const target = 'https://acme.test/ü?a=b'
    expect(readLink(href('em_1', target), 'acme.test', 'em_1')).toMatchObject({
      target: new URL(target).href,
      shownHost: null,
    })
    expect(readLink(href('em_2', target), '', 'em_1')?.target).toBe(null)
    expect(readLink(href('em_1', 'javascript:alert(1)'), '', 'em_1')?.target).toBe(null)
    expect(readLink('http://127.0.0.1:1080/t/c/%%%.x', '', 'em_1')?.target).toBe(null)
    expect(readLink('http://127.0.0.1:1080/t/c/bm8.x', '', 'em_1')?.target).toBe(null)
  })
})
