import { Parser } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { prepareRewrite } from '../../src/tracking/rewrite.ts'
import { workedMs } from '../support/own-time.ts'

const pixelUrl = 'http://t/p?a=1&b="2"'
const pixel =
  '<img src="http://t/p?a=1&amp;b=&quot;2&quot;" width="1" height="1" alt="" style="display:none;width:1px;height:1px;border:0">'

/** Rewrites links only, and returns the links that were passed in. */
function links(html: string): { html: string; asked: string[] } {
  const asked: string[] = []
  const rewritten = prepareRewrite(html)({
    pixelUrl: null,
    linkUrl: (href) => (asked.push(href), 'http://t/1'),
  })
  return { html: rewritten, asked }
}

const opened = (html: string): string => prepareRewrite(html)({ pixelUrl, linkUrl: () => null })

describe('the tracking image', () => {
  it.each([
    ['<p>Hi</p>', `<p>Hi</p>${pixel}`],
    ['', pixel],
    ['<html><body>Hi</body></html>\n', `<html><body>Hi${pixel}</body></html>\n`],
    ['<BODY>Hi</BODY\n>x', `<BODY>Hi${pixel}</BODY\n>x`],
    // Browsers read it as a comment.
    ['<BODY>Hi</ BODY\n>x', `<BODY>Hi</ BODY\n>x${pixel}`],
    ['</body><p>late</p></body>', `</body><p>late</p>${pixel}</body>`],
    ['<!-- </body> --><p>', `<!-- </body> --><p>${pixel}`],
    ['<script>"</body>"</script>x', `<script>"</body>"</script>x${pixel}`],
    ['<p title="</body>">x', `<p title="</body>">x${pixel}`],
  ])('is put before </body> or at the end: %j', (html, expected) => {
    expect(opened(html)).toBe(expected)
  })

  it.each([
    ['a<!-- b', `a${pixel}<!-- b`],
    ['a<![CDATA[ b', `a${pixel}<![CDATA[ b`],
    ['a<img src="b', `a${pixel}<img src="b`],
    ['a<a href=b', `a${pixel}<a href=b`],
    ['a<style>b', `a${pixel}<style>b`],
    ['a<iframe/>b', `a${pixel}<iframe/>b`],
    ['a<!-- b -->', `a<!-- b -->${pixel}`],
  ])('is put before markup that never ends: %j', (html, expected) => {
    expect(opened(html)).toBe(expected)
  })
})

describe('a link', () => {
  it.each([
    ['<a href="http://a.test/">', '<a href="http://t/1">', 'http://a.test/'],
    ["<a href='http://a.test/'>", "<a href='http://t/1'>", 'http://a.test/'],
    ['<a href=http://a.test/ id=x>', '<a href="http://t/1" id=x>', 'http://a.test/'],
    ['<A\n\tHREF = "HTTPS://A.test/b" >', '<A\n\tHREF = "http://t/1" >', 'HTTPS://A.test/b'],
    ['<area shape=rect href="http://a.test"/>', '<area shape=rect href="http://t/1"/>', 'http://a.test'],
    ['<a href=" http://a.te\nst/ ">', '<a href="http://t/1">', 'http://a.test/'],
    [
      '<a href="http://a.test/?a=1&amp;b=&quot;&copy;&#x41;&lang=x">',
      '<a href="http://t/1">',
      'http://a.test/?a=1&b="©A&lang=x',
    ],
    ['<a href=&#104;ttp://a.test>', '<a href="http://t/1">', 'http://a.test'],
    [
      '<a href="http://a.test" href="http://b.test">',
      '<a href="http://t/1" href="http://b.test">',
      'http://a.test',
    ],
    ['<p><b><a href="http://ä.test/é">', '<p><b><a href="http://t/1">', 'http://ä.test/é'],
    ['<a title=">" href="http://a.test">', '<a title=">" href="http://t/1">', 'http://a.test'],
    ['<a/href="http://a.test"/>', '<a/href="http://t/1"/>', 'http://a.test'],
    [
      '<![if !mso]><a href="http://a.test"><![endif]>',
      '<![if !mso]><a href="http://t/1"><![endif]>',
      'http://a.test',
    ],
    [
      '< a href="http://no.test"><a href="http://a.test">',
      '< a href="http://no.test"><a href="http://t/1">',
      'http://a.test',
    ],
  ])('is replaced in place, and nothing else: %j', (html, expected, asked) => {
    expect(links(html)).toEqual({ html: expected, asked: [asked] })
  })

  it.each([
    '<a href="mailto:a@b.test"><a href="tel:1"><a href="#x"><a href="/x"><a href="cid:1"><a href="javascript:http://x">',
    '<a href="{{url}}"><a href="http://a.test/{{id}}"><a href="http://"><a href><a href=""><a>',
    '<a href href="http://a.test">',
    '<a href="http://a.test" data-no-track><a DATA-NO-TRACK="1" href="http://a.test">',
    '<!-- <a href="http://a.test"> --><!--[if mso]><a href="http://a.test"><![endif]-->',
    '<script>"<a href=http://a.test>"</script><style><a href="http://a.test"></style>',
    '<textarea><a href="http://a.test"></textarea><title><a href="http://a.test"></title>',
    '<iframe srcdoc="<a href=\'http://a.test\'>"><a href="http://a.test"></iframe>',
    '<xmp><a href="http://a.test"></xmp><noembed><a href="http://a.test"></noembed>',
    '<link href="http://a.test"><base href="http://a.test"><img href="http://a.test" src="http://a.test">',
    '<a xlink:href="http://a.test" data-href="http://a.test">',
    '<a href="http://a.test"',
    '<a href="http://a.test',
    'http://a.test',
  ])('is left unchanged: %j', (html) => {
    expect(links(html)).toEqual({ html, asked: [] })
  })

  it('that the caller does not replace stays as written', () => {
    const html = '<a href=" http://a.test/?a&amp;b ">x</a>'
    expect(prepareRewrite(html)({ pixelUrl: null, linkUrl: () => null })).toBe(html)
  })

  it('cannot break out of its attribute, whatever its address', () => {
    const evil = `http://t/"'><script>&amp;`
    for (const quote of ['"', "'", '']) {
      const html = `<a href=${quote}http://a.test${quote}>x</a>`
      const rewritten = prepareRewrite(html)({ pixelUrl: null, linkUrl: () => evil })
      const found: string[] = []
      new Parser({ onopentag: (name, { href }) => found.push(`${name} ${href}`) }).end(rewritten)
      expect(found).toEqual([`a ${evil}`])
    }
  })

  it('after </body> is replaced, too', () => {
    const html = '<body><a href="http://a.test"></body><a href="http://b.test">'
    expect(prepareRewrite(html)({ pixelUrl, linkUrl: () => 'u' })).toBe(
      `<body><a href="u">${pixel}</body><a href="u">`,
    )
  })
})

describe('the rest of the HTML', () => {
  it('is unchanged, character by character', () => {
    const html =
      '\ufeff<!DOCTYPE html>\r\n<p class=a  id="b"\t>&nbsp;&amp &#0; \u0000 \ud83d\ude00 \ud800<br/>\r\n<a href="http://a.test">1</a >&lt;</p><p'
    const again = prepareRewrite(html)({ pixelUrl: null, linkUrl: () => 'http://a.test' })
    expect(again).toBe(html)
  })

  it('is read once for many copies', () => {
    const rewrite = prepareRewrite('<a href="http://a.test">')
    const copies = ['1', '2'].map((id) => rewrite({ pixelUrl: null, linkUrl: (href) => `${href}/${id}` }))
    expect(copies).toEqual(['<a href="http://a.test/1">', '<a href="http://a.test/2">'])
  })

  it.each([
    ['links', '<a href="http://a.test">'],
    ['open tags', '<a '],
    ['angle brackets', '<'],
    ['attributes', ' href=http://a'],
    ['comments', '<!--'],
    ['entities', '&am'],
    ['quotes', `<a href="`],
    ['raw text', '<script></scrip'],
    ['iframes', '<iframe><a href=http://a.test>'],
    ['declarations', '<![CDATA[<!'],
  ])('of a megabyte of hostile %s takes bounded time and is unchanged', (_, piece) => {
    const html = `<a ${piece.repeat(Math.ceil(1_000_000 / piece.length))}`.slice(0, 1_000_000)
    let asked = 0
    const before = workedMs()
    const rewritten = prepareRewrite(html)({ pixelUrl: null, linkUrl: () => (asked++, null) })
    // What is not linear takes minutes.
    expect(workedMs() - before).toBeLessThan(3000)
    expect(rewritten === html).toBe(true)
    expect(asked).toBeLessThanOrEqual(1000)
  })

  it('of more than a million characters is left unchanged, except for the image', () => {
    const html = `${'x'.repeat(1_000_000)}<a href="http://a.test"></body>`
    expect(prepareRewrite(html)({ pixelUrl, linkUrl: () => 'u' })).toBe(html + pixel)
  })
})
