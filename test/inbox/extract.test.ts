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
