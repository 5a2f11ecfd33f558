import { describe, expect, it } from 'vitest'
import { extractCodes } from '../../src/reading/codes.ts'
import { extractLinks } from '../../src/reading/links.ts'
import { expectLinearCost } from '../support/linear-cost.ts'
import { visibleText } from '../../src/mime/html/visible-text.ts'

describe('links', () => {
  it('of the html have their text, with entities decoded, in order', () => {
    const html =
      '<a href="https://a.test/?x=1&amp;y=2"> Confirm <b>now</b></a><a href=mailto:x@y.test><img alt="Mail us"></a>'
    expect(extractLinks(html, '')).toEqual([
      { href: 'https://a.test/?x=1&y=2', text: 'Confirm now' },
      { href: 'mailto:x@y.test', text: 'Mail us' },
    ])
  })

  it('of the text part follow, each once, without the punctuation of the sentence', () => {
    const html = '<a href="https://a.test/1">one</a>'
    const text = 'See https://a.test/1, (https://b.test/x_(y)) or https://c.test/z?q=1.'
    expect(extractLinks(html, text).map(({ href }) => href)).toEqual([
      'https://a.test/1',
      'https://b.test/x_(y)',
      'https://c.test/z?q=1',
    ])
  })

  it('never include script: other protocols are ignored', () => {
    const html =
      '<a href="javascript:alert(1)">x</a><a href="data:text/html,x">y</a><a href=" JavaScript:x">z</a>'
    expect(extractLinks(html, 'javascript:alert(1)')).toEqual([])
  })

  it('within each other end where the last one ends, however many are open', () => {
    const links = (count: number): number =>
      extractLinks('<a href="https://a.test">'.repeat(count), '').length
    expect(links(40_000)).toBe(40_000)
    expectLinearCost(links, 10_000)
  })

  it('of the text part lose closing brackets that were not opened, of both kinds', () => {
    const text = 'https://a.test/x(1)) https://b.test/[2]]). https://c.test/((3) http://)))'
    expect(extractLinks('', text).map(({ href }) => href)).toEqual([
      'https://a.test/x(1)',
      'https://b.test/[2]',
      'https://c.test/((3)',
      'http://',
    ])
  })

  it.each([
    // base64url ends in `_` one time in 64.
    ['https://acme.test/v?token=abc_', 'https://acme.test/v?token=abc_'],
    ['Open https://acme.test/v?token=abc_.', 'https://acme.test/v?token=abc_'],
    ['https://acme.test/v/abc*', 'https://acme.test/v/abc*'],
    ['https://acme.test/v/{id}', 'https://acme.test/v/{id}'],
    ['https://acme.test/v?q={a}}', 'https://acme.test/v?q={a}}'],
    ['_https://acme.test/v_', 'https://acme.test/v'],
    ['**https://acme.test/v**.', 'https://acme.test/v'],
    ['{https://acme.test/v}', 'https://acme.test/v'],
    ['"https://acme.test/v"', 'https://acme.test/v'],
    ['<https://acme.test/a b/c?x=1 2>', 'https://acme.test/ab/c?x=12'],
    ['<https://acme.test/a\r\n  b/c_>.', 'https://acme.test/ab/c_'],
    ['<https://acme.test/v.>', 'https://acme.test/v.'],
    ['Open myapp://verify?token=1, or', 'myapp://verify?token=1'],
    ['<com.acme.app://verify?token=1 2>', 'com.acme.app://verify?token=12'],
  ])('of the text %j are %j', (text, href) => {
    expect(extractLinks('', text)).toEqual([{ href, text: href }])
  })

  it('of a text are found after any character, and two in brackets stay two', () => {
    const hrefs = (text: string): string[] => extractLinks('', text).map(({ href }) => href)
    for (const before of ['1.', '2', '12-', '(+', 'here...', 'text.', 'Link-'])
      expect(hrefs(`${before}https://acme.test/v`), before).toEqual(['https://acme.test/v'])
    expect(hrefs('<https://acme.test/a\nYour code is 123456\nSee https://acme.test/b >')).toEqual([
      'https://acme.test/a',
      'https://acme.test/b',
    ])
    expect(hrefs('<https://acme.test/a|Label text>')).toEqual(['https://acme.test/a|Label'])
    expect(hrefs('see 2redis://x and a.b://c')).toEqual(['a.b://c'])
  })

  it.each([
    ['https://acme.test/a&#10;b', 'https://acme.test/ab'],
    ['https://acme.test/a\r\n\tb ', 'https://acme.test/ab'],
    ['ht\ntps://acme.test/v', 'https://acme.test/v'],
    ['\x01 https://acme.test/v', 'https://acme.test/v'],
    ['myapp://verify?token=1', 'myapp://verify?token=1'],
    ['my\tapp://verify?token=1', 'myapp://verify?token=1'],
    ['tel:+15550100', 'tel:+15550100'],
    ['mailto:x@y.test', 'mailto:x@y.test'],
  ])('of the href %j are %j, as browsers open it', (href, opened) => {
    expect(extractLinks(`<a href="${href}">Verify</a>`, '')).toEqual([{ href: opened, text: 'Verify' }])
  })

  it.each([
    'javascript://acme.test/%0aalert(1)',
    'java\nscript:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'cid:logo@acme.test',
    'mid:x@acme.test',
    'file:///etc/passwd',
    'blob:https://acme.test/x',
    'about:blank',
    'view-source:https://acme.test',
    'filesystem:https://acme.test/x',
    '/relative',
    '#place',
    '',
  ])('leave out %j', (href) => {
    expect(extractLinks(`<a href="${href}">x</a>`, '')).toEqual([])
  })

  it.each(['javascript://acme.test/x', 'file:///etc/passwd', 'about://x'])(
    'of a text leave out %j',
    (text) => {
      expect(extractLinks('', text)).toEqual([])
    },
  )

  it('use the first of two equal attributes, in any case', () => {
    const html = '<A HREF="https://a.test/&eacute;" href="https://b.test">x</A>'
    expect(extractLinks(html, '')).toEqual([{ href: 'https://a.test/é', text: 'x' }])
  })
})

describe('codes', () => {
  it.each([
    ['Your verification code is 482913.', ['482913']],
    ['Use 123 456 as your login code', ['123456']],
    ['Code: 123-456', ['123456']],
    ['Your code\n\n  7391\n\nIt expires in 10 minutes.', ['7391']],
    ['Enter this code to sign in:\n\n4 8 2 9 1 3', ['482913']],
    ['G-482913 is your verification code', ['482913']],
    ['Your one-time passcode: AB12-CD34', ['AB12-CD34']],
    ['Your PIN is 2024', ['2024']],
    ['Ваш код: 5921', ['5921']],
    ['認証コード：839201', ['839201']],
    ['認証コード：vM8xw', ['vM8xw']],
    ['验证码是aB3dE9', ['aB3dE9']],
    ['您的驗證碼為 aB3dE9。', ['aB3dE9']],
    ['認証コードはaB3dE9です', ['aB3dE9']],
    ['인증 코드: aB3dE9', ['aB3dE9']],
    ['Your code: K7QX', ['K7QX']],
    ['Your code is k7Qx.', ['k7Qx']],
    ['Your code:\n\nvM8xw', ['vM8xw']],
    ['Your code is\nvM8xw\nIt expires soon.', ['vM8xw']],
    ['認証コード：\n\nvM8xw', ['vM8xw']],
    ['Code vM8xw', ['vM8xw']],
    ['Use code K7QX2 to sign in', ['K7QX2']],
    ['Ihr Code lautet vM8xw', ['vM8xw']],
    ['Votre code est vM8xw', ['vM8xw']],
    ['Tu código es vM8xw', ['vM8xw']],
    ['Il tuo codice è vM8xw', ['vM8xw']],
    ['Ваш код — vM8xw', ['vM8xw']],
    ['Twój kod to vM8xw', ['vM8xw']],
  ])('are found in %j', (text, codes) => {
    expect(extractCodes(text)).toEqual(codes)
  })

  it('are years only where the sentence says so', () => {
    expect(extractCodes('In 2023 your code is 2024, not 2025')).toEqual(['2024'])
  })

  it.each([
    'Copyright 2026 Acme. Verify your address by the link.',
    'Your order 482913 was sent.',
    'You paid $4829.13 with your card. Use code words wisely.',
    'Call +1 555 482 9130 to verify.',
    'Your verification link: https://a.test/verify/482913',
    'Welcome! 123456 people read this.',
    'Invoice 20261120',
    'Your code:\n\nThanks for reading Vue3 news',
    'Verify your address.\n\nTeam2026\n',
    'The code base64 is decoded by the library.',
    'Promo code SAVE20: until Sunday.',
    'The code is sent to user1234 by mail.',
    'A code was sent to john84',
    'Your login code — iPhone15 Pro',
    'Your code was requested from:\nWindows11\nChrome',
    'Security code\nSent to:\nuser1234',
  ])('are not found in %j', (text) => {
    expect(extractCodes(text)).toEqual([])
  })
})

describe('the visible text', () => {
  it('has lines where blocks end, and no text of styles and scripts', () => {
    const html =
      '<head><title>t</title><style>p{}</style></head><p>Your code</p><div>1234<br>x</div><script>y</script>'
    expect(
      visibleText(html)
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    ).toEqual(['Your code', '1234', 'x'])
  })

  it.each([
    ['<head><title>t</title><body>shown', 'shown'],
    ['<noscript>a<noscript>b</noscript>c</noscript>shown', 'shown'],
    ['<template><head></template>shown', 'shown'],
    ['</head></style>shown', 'shown'],
    ['a &lt;b&gt; &amp;&nbsp;c', 'a <b> & c'],
  ])('of %j is %j', (html, text) => {
    expect(visibleText(html).trim().replace(/\s+/g, ' ')).toBe(text)
  })
})
