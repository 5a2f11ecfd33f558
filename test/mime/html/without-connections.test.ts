import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import { describe, expect, it } from 'vitest'
import { withoutConnections } from '../../../src/mime/html/without-connections.ts'
import { disagreeingHtml } from '../../support/disagreeing-html.ts'

/** How a browser finds a tag: a `<`, the name in any case, then white space, a slash or a closing bracket. */
const tag =
  /<\/?(?:link|meta(?! (?:content="[^"]*" )?name="(?:color-scheme|viewport)")|base|script|iframe|frame|frameset|object|embed|applet|portal|fencedframe)(?=[\s/>])/i

const rels = [
  'preconnect',
  'dns-prefetch',
  'prefetch',
  'preload',
  'modulepreload',
  'prerender',
  'stylesheet',
  'icon',
]
const spellings = rels.flatMap((rel) => [
  `<link rel="${rel}" href="//x.test">`,
  `<LINK REL=${rel.toUpperCase()} HREF=//x.test>`,
  `<link rel='alternate ${rel} nofollow' href='//x.test'/>`,
  `<link\nrel=&#${rel.charCodeAt(0)};${rel.slice(1)} href=//x.test>`,
  `<link/rel=${rel}/href=//x.test>`,
  `<link href="//x.test" rel="${rel}" as=font crossorigin title="a > b">`,
])

const remote = ['none', 'images', 'all'] as const

/** What is left of the content of a body. */
function cleaned(html: string, options?: Parameters<typeof withoutConnections>[1]): string {
  const written = withoutConnections(html, options)
  return (
    /^(?:<!DOCTYPE[^>]*>)?<html><head><\/head><body>([^]*)<\/body><\/html>$/.exec(written)?.[1] ?? written
  )
}

describe('the HTML of a mail', () => {
  it.each([
    ...spellings,
    '<meta http-equiv="refresh" content="0;url=//x.test">',
    '<META HTTP-EQUIV=x-dns-prefetch-control CONTENT=on>',
    '<meta name="color-scheme" content="light" http-equiv="refresh">',
    '<meta name=referrer content=unsafe-url>',
    '<script type=speculationrules>{"prefetch":[{"urls":["//x.test"]}]}</script>',
    '<script type=webbundle>{"source":"//x.test"}</script>',
    '<script src=//x.test></script>',
    '<iframe src=//x.test></iframe>',
    '<iframe srcdoc="&lt;link rel=preconnect href=//x.test&gt;"><p>inner</p></iframe>',
    '<frameset><frame src=//x.test></frameset>',
    '<base href="//x.test/" target=_self>',
    '<template><p>x</p></template>',
    '<noembed><p>x</p></noembed>',
    '<object data=//x.test></object>',
    '<embed src=//x.test>',
    '<portal src=//x.test></portal>',
    '<fencedframe></fencedframe>',
  ])('no longer has %s', async (html) => {
    const left = cleaned(`<p>before</p>${html}<p>after</p>`)
    expect(left.replace('<p>inner</p>', '')).toBe('<p>before</p><p>after</p>')
  })

  it('keeps the rest of a mail', async () => {
    const body = `<p class="a" style="b:c">1 &lt; 2 &amp; <a href="https://x.test/?a=1&#38;b=2">go</a></p><o:p>x</o:p><pre>

x</pre><table background="https://x.test/"><tbody><tr><td><img src="cid:x" alt></td></tr></tbody></table><input type="image" src="cid:x"><video poster="https://x.test"></video><svg width="9"><path d="M0"></path><use href="#x"></use><text>x</text></svg><math><mi>x</mi></math>`
    expect(cleaned(body)).toBe(body)
    const head = '<title>A &lt;link&gt; in words</title><style>p > a { color: red }</style>'
    const mail = `<!DOCTYPE html><html lang="en"><head>${head}</head><body bgcolor="red">x</body></html>`
    expect(withoutConnections(mail)).toBe(mail)
  })

  it.each([
    ['<!doctype html><p>x', /^<!DOCTYPE html><html>/],
    [
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"><p>x',
      /^<!DOCTYPE html PUBLIC "-\/\/W3C\/\/DTD XHTML 1.0 Transitional\/\/EN"/,
    ],
    ['<p>x', /^<html>/],
    ['<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2//EN"><p>x', /^<html>/],
  ])('keeps the mode of its layout: %j', async (html, beginning) => {
    expect(withoutConnections(html)).toMatch(beginning)
  })

  it.each([
    ['<a href=a>x</a>', '<a href="about:invalid">x</a>'],
    ["<a title=b href='/dev/reset' class=c>x</a>", '<a title="b" href="about:invalid" class="c">x</a>'],
    ['<a href="?x">x</a>', '<a href="about:invalid">x</a>'],
    ['<a href="&#47;x">x</a>', '<a href="about:invalid">x</a>'],
    ['<a href=" \n http:x">x</a>', '<a href="about:invalid">x</a>'],
    ['<a href="\\x">x</a>', '<a href="about:invalid">x</a>'],
    ['<a href="ht\ntp:/x">x</a>', '<a href="about:invalid">x</a>'],
    ['<a href="//">x</a>', '<a href="about:invalid">x</a>'],
    ['<a href="//x.test/a">x</a>', '<a href="http://x.test/a">x</a>'],
    ['<a href="\\\\x.test/a">x</a>', '<a href="http:\\\\x.test/a">x</a>'],
    ['<a href="/\n/x.test/a">x</a>', '<a href="http://x.test/a">x</a>'],
    ['<area HREF=x>', '<area href="about:invalid">'],
    [
      '<svg><a xlink:href=x><image href="y"/></a></svg>',
      '<svg><a xlink:href="about:invalid"><image href="about:invalid"></image></a></svg>',
    ],
    ['<svg><rect fill="url(x)"/></svg>', '<svg><rect fill="url(&#34;about:invalid&#34;)"></rect></svg>'],
    [
      '<svg><set attributeName=href to="x"/></svg>',
      '<svg><set attributeName="href" to="about:invalid"></set></svg>',
    ],
    [
      '<svg><animate attributeName=xlink:href values="#a;x;//y"/></svg>',
      '<svg><animate attributeName="xlink:href" values="#a;about:invalid;http://y"></animate></svg>',
    ],
    ['<img src=x.png>', '<img src="about:invalid">'],
    ['<image src=x.png>', '<img src="about:invalid">'],
    ['<input type=image src=x.png>', '<input type="image" src="about:invalid">'],
    ['<img srcset="//x.test/a 1x, b.png 2x">', '<img srcset="http://x.test/a 1x">'],
    [
      '<img srcset="https://x.test/a 1x,https://x.test/b 2x">',
      '<img srcset="https://x.test/a 1x, https://x.test/b 2x">',
    ],
    ['<img srcset="1x,//x.test/a">', '<img>'],
    // As browsers read it: what is in parentheses is no image, nor is one with an unknown descriptor, and other white space
    // is part of an address.
    [
      '<img srcset="https://x.test/a (b, https://x.test/c) 2x, https://x.test/d 2x">',
      '<img srcset="https://x.test/d 2x">',
    ],
    [
      '<img srcset="https://x.test/a, 2x, https://x.test/b,, https://x.test/c">',
      '<img srcset="https://x.test/a, https://x.test/b, https://x.test/c">',
    ],
    ['<img srcset="x\u00a0https://x.test/a\u000bb 1x">', '<img>'],
    [
      '<source srcset="b.png, data:image/png;base64,QUJD 2x">',
      '<source srcset="data:image/png;base64,QUJD 2x">',
    ],
    ['<table background=x></table>', '<table background="about:invalid"></table>'],
    ['<video src=x poster=y></video>', '<video src="about:invalid" poster="about:invalid"></video>'],
    [
      '<form action="/dev/reset"><button formaction=x></button></form>',
      '<form action="about:invalid"><button formaction="about:invalid"></button></form>',
    ],
    ['<p style="background:url( x.png )"></p>', '<p style="background:url(&#34;about:invalid&#34;)"></p>'],
    [`<p style='background: URL("x.png")'></p>`, '<p style="background: URL(&#34;about:invalid&#34;)"></p>'],
    [
      '<p style="background:\\75\\72\\6c(/x)"></p>',
      '<p style="background:url(&#34;about:invalid&#34;)"></p>',
    ],
    ['<p style="background:url(\\2f x)"></p>', '<p style="background:url(&#34;about:invalid&#34;)"></p>'],
    [
      '<p style="background:url(//x.test/a)"></p>',
      '<p style="background:url(&#34;http://x.test/a&#34;)"></p>',
    ],
    ['<p style="background:url(/x"></p>', '<p style="background:url(&#34;about:invalid&#34;)"></p>'],
    ['<p onclick=x ping=//x.test is=x referrerpolicy=unsafe-url nonce=x>x</p>', '<p>x</p>'],
    ['<p a<b=1 (c)=2 [d] data-e=3>x</p>', '<p data-e="3">x</p>'],
    ['<a"b><p>x</p></a"b>', '<p>x</p>'],
    ['<object data=x><p>x</p></object>', '<p>x</p>'],
    ['<noscript><p>x</p></noscript>', '<p>x</p>'],
    ['<xmp><p>x</xmp>', '<pre>&lt;p&gt;x</pre>'],
    ['<plaintext></p>', '<pre>&lt;/p&gt;</pre>'],
    ['a<!-- <b> -->b', 'ab'],
  ])('has no relative address, and nothing that connects or runs: %s', async (html, safe) => {
    expect(cleaned(html)).toBe(safe)
  })

  it.each([
    ['p{background:url(x.png)}', 'p{background:url("about:invalid")}'],
    [
      'p{background:image-set("x.png" 1x, url(y) 2x)}',
      'p{background:image-set("about:invalid" 1x, url("about:invalid") 2x)}',
    ],
    ['p{--u:"/x";background:image-set(var(--u) 1x)}', 'p{--u:"/x";background:image-set(none(--u) 1x)}'],
    ['p{background:image-set(--f() 1x)}', 'p{background:image-set(none() 1x)}'],
    ['p{background:image("x")}', 'p{background:image("about:invalid")}'],
    ['@import "x" screen;', '@import "about:invalid" screen;'],
    ['@\\69mport url(x);', '@\\69mport url("about:invalid");'],
    ['@import "//x.test/a";', '@import "http://x.test/a";'],
    ['<!-- p{content:"<b>"} -->', '  p{content:"\\3c b>"}  '],
    ['p{background:url(a b)}', 'p{background:url("about:invalid")}'],
    // What looks like a text, because the address before it is not read as one, hides an address.
    ...['75rl', 'u\\72 l', 'ur\\6c', '69mage-set', 's\\72 c'].map((name): [string, string] => {
      const written = /^\d/.test(name) ? `\\${name}` : name
      return [
        `p{background:\\75rl(a'b);background:${written}(/x);color:'}`,
        `p{background:url("about:invalid");background:none(/x);color:'}`,
      ]
    }),
    // An escaped `<` is escaped only once.
    ['p{a:#\\<url(x)}', 'p{a:#\\3c url(x)}'],
    ['p{content:"\\<b\\\\<b"}', 'p{content:"\\3c b\\\\\\3c b"}'],
  ])('has no relative address in a style sheet: %s', async (css, safe) => {
    const html = (sheet: string): string => `<html><head><style>${sheet}</style></head><body></body></html>`
    expect(withoutConnections(`<style>${css}</style>`)).toBe(html(safe))
    expect(withoutConnections(html(safe))).toBe(html(safe))
  })

  it.each([
    '<a href="#part">x</a>',
    '<a href>x</a>',
    '<a href="mailto:a@x.test">x</a>',
    '<a href="HTTPS://x.test/?a=1&#38;b">x</a>',
    '<a href="https://{{host}}/">x</a>',
    '<img src="data:image/png;base64,QUJD">',
    '<img srcset="https://x.test/a.png, https://x.test/b.png 2x">',
    '<p style="color:red;background:url(https://x.test/a.png)"></p>',
    '<p style="background:url(data:image/png;base64,QUJD) , url(&#34;https://x.test&#34;)"></p>',
    '<p style="background:image-set(&#34;https://x.test/a&#34; type(&#34;image/png&#34;))"></p>',
    '<p style="font-family:&#34;Open Sans&#34;;fill:url(#a)"></p>',
  ])('keeps an absolute address: %s', async (html) => {
    expect(cleaned(html)).toBe(html)
  })

  it('keeps a character of two units at each place of a long text', () => {
    const text = `${'x'.repeat(16_383)}😀${'y'.repeat(16_381)}😀`
    for (const shifted of [text, `x${text}`]) expect(cleaned(`<p>${shifted}</p>`)).toBe(`<p>${shifted}</p>`)
  })

  it('keeps the meta elements for the appearance', async () => {
    const said =
      '<META content="light dark" NAME=color-scheme><meta name="viewport" content="width=device-width"><meta charset=x>'
    expect(withoutConnections(said)).toBe(
      '<html><head><meta content="light dark" name="color-scheme"><meta name="viewport" content="width=device-width"></head><body></body></html>',
    )
  })

  it.each([
    '<<link>link rel=preconnect href=//x.test>',
    '<li<link>nk rel=preconnect href=//x.test>',
    '<!--><link rel=preconnect href=//x.test>-->',
    '<!---><link rel=preconnect href=//x.test>-->',
    '<!-- --!><link rel=preconnect href=//x.test>-->',
    '<![CDATA[><link rel=preconnect href=//x.test>]]>',
    '<?x ><link rel=preconnect href=//x.test>?>',
    '<svg><style><link rel=preconnect href=//x.test></style></svg>',
    '<math><title><link rel=preconnect href=//x.test></title></math>',
    '<textarea><link rel=preconnect href=//x.test></textarea>',
    '<noscript><p title="</noscript><link rel=preconnect href=//x.test>">',
    '<template><link rel=preconnect href=//x.test></template>',
    '<plaintext><link rel=preconnect href=//x.test>',
    '<xmp><link rel=preconnect href=//x.test></xmp>',
    '<p title=`<link rel=preconnect href=//x.test>`>',
    '<p title="<link rel=preconnect href=//x.test>">',
    '<link rel=preconnect href=//x.test',
    '<link rel="preconnect href=//x.test>',
    '<script><link rel=preconnect href=//x.test>',
    '<svg><script/><link rel=preconnect href=//x.test></svg>',
    '</p <link rel=preconnect href=//x.test>>',
    '<a href="\0<link rel=preconnect href=//x.test>">',
    '<iframe></iframe <link rel=preconnect href=//x.test>>',
  ])('has no such tag in other readings of a browser: %j', async (html) => {
    expect(withoutConnections(html)).not.toMatch(tag)
  })

  it('is the same in whatever steps it is read', async () => {
    for (const hidden of [
      '<link rel=preconnect href="//x.test">',
      '<!--<b>-->',
      '&amp;',
      '\u{1f4e7}',
      '\r\n',
    ]) {
      for (let shift = 0; shift < hidden.length + 2; shift++) {
        const before = 'x'.repeat(1024 - shift)
        const alone = cleaned(`<i>${hidden}</i>`).slice(3, -4)
        expect(cleaned(`${before}${hidden}after`)).toBe(`${before}${alone}after`)
      }
    }
  })
})

describe('what tokenizers read differently', () => {
  const payload =
    '<div><template shadowrootmode="closed"><a href="?remote=all">x</a></template></div><a href="/dev/inbox">x</a>' +
    '<img src=x onerror=x><link rel=preconnect href="//x.test"><p style="background:url(x)">'
  const documents = Object.entries(disagreeingHtml)

  it.each(documents)('is clean, and stays so when it is parsed again: %s', async (_, write) => {
    const html = write(payload)
    for (const one of remote) await expectClean(html, one)
  })

  it.each([1, 2, 3, 4, 5, 6])('is clean in any combination, by generation (seed %s)', async (seed) => {
    const random = randomOf(seed)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    for (let round = 0; round < 50; round++) {
      let html = ''
      for (let i = 0; i < 14; i++) {
        const piece = pick(pieces)
        html += random() < 0.15 ? pick(documents)[1](piece) : piece
      }
      await expectClean(html, pick(remote))
    }
  })
})

const names =
  'a b p div svg math style title textarea select option table tr td template form mtext mglyph mi annotation-xml desc foreignObject noscript xmp script iframe button nobr font image plaintext frameset body head li dd h1'.split(
    ' ',
  )
const pieces = [
  ...names.flatMap((name) => [`<${name}>`, `</${name}>`, `<${name} title="</${name}>">`]),
  '<!--',
  '-->',
  '--!>',
  '<![CDATA[',
  ']]>',
  '<?',
  '</',
  '<',
  '>',
  '"',
  "'",
  '&lt;',
  '\0',
  '\n',
  '/>',
  'x',
  '<a href=/x>',
  '<img src=x onerror=y>',
  '<annotation-xml encoding="text/html">',
  '<font color=red>',
  '<svg/>',
  '<p style="background:url(x)">',
  '<style>p{background:url(x)} /* </p><img src=y> */',
]

function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document

/** Expects that parsing the cleaned HTML gives a clean tree, and with foreign content the same one again. */
async function expectClean(html: string, kind: (typeof remote)[number]): Promise<void> {
  const written = withoutConnections(html, { remote: kind })
  const message = `${html}\n became ${written}`
  const faults: string[] = []
  let hasForeign = false
  const nodes: Node[] = [parse(written, { scriptingEnabled: false })]
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    if ('childNodes' in node) nodes.push(...node.childNodes)
    if (!('tagName' in node)) continue
    if (!node.namespaceURI.endsWith('xhtml')) hasForeign = true
    if (
      /^(?:template|script|iframe|frame|frameset|object|embed|base|noscript|xmp|plaintext)$/.test(
        node.tagName,
      )
    )
      faults.push(node.tagName)
    for (const { name, value } of node.attrs) {
      if (/^(?:on|shadowroot|ping)/.test(name)) faults.push(name)
      if (/^(?:href|src)$/.test(name) && !/^(?:https?:\/\/|about:invalid)/.test(value)) faults.push(value)
      if (name === 'style' && /url\((?!"about:invalid)/.test(value)) faults.push(value)
    }
  }
  expect(faults, message).toEqual([])
  // Each `<` begins a tag: no tokenizer finds another one.
  expect(
    written.replace(/<\/?[a-z][\w:.-]*(?: [\w:.@-]+(?:="[^"<>]*")?)*>|<!DOCTYPE[^>]*>/gi, ''),
    message,
  ).not.toMatch(/<[a-z/!?]/i)
  if (hasForeign) expect(withoutConnections(written, { remote: kind }), message).toBe(written)
}

describe('a tracking pixel', () => {
  it.each([
    '<img src="https://x.test/a" width=1 height=1>',
    '<image src="https://x.test/a" width=1 height=1>',
    '<img src="https://x.test/a" style="width:1px;height:0">',
    '<img src="https://x.test/t/o/abc.def">',
    '<input type=image src="https://x.test/a" width=1 height=1>',
    '<svg><image href="https://x.test/a" width="1" height="1"/></svg>',
    '<video poster="https://x.test/a" width=1 height=1></video>',
    '<video poster="https://x.test/t/o/abc.def"></video>',
    '<table><td background="https://x.test/a" width=1 height=1></td></table>',
    '<div style="width:1px;height:1px;background:url(https://x.test/a)"></div>',
    '<div width=1 height=1 style="background:url(https://x.test/a)"></div>',
    '<div style="background:url(https://x.test/t/o/abc.def)"></div>',
    '<style>p{width:1px;height:1px;background:url(https://x.test/a)}</style>',
    '<style>p{background:url("https://x.test/a");height:0;width:1px}</style>',
    '<img srcset="https://x.test/t/o/abc.def 1x">',
  ])('is not loaded: %s', async (html) => {
    expect(withoutConnections(html)).toContain('x.test')
    for (const kind of ['images', 'all'] as const)
      expect(withoutConnections(html, { remote: kind })).not.toContain('x.test')
  })

  it('is no image of another size', async () => {
    const html = '<div style="width:100px;height:1px;background:url(https://x.test/a)"></div>'
    expect(cleaned(html, { remote: 'all' })).toBe(html)
  })
})

describe('hostile HTML', () => {
  const note = '[The rest of this mail is left out, because it is too large.]'

  it('keeps the text of elements that are nested too deeply', async () => {
    const left = cleaned(`${'<div>'.repeat(600)}<p>the text`)
    expect(left).toContain('the text')
    expect(left.match(/<div>/g)?.length).toBeLessThan(512)
  })

  it.each([
    [
      'elements that each tag makes again',
      Array.from({ length: 20_000 }, (_, i) => `<p><b id=${i}>x`).join(''),
    ],
    ['too many elements', '<b>x</b>'.repeat(400_000)],
    ['characters that are written longer', '<'.repeat(6_000_000)],
  ])('is cut, and says so: %s', async (_, html) => {
    expect(withoutConnections(html)).toContain(note)
  })

  it.each<[start: string, unit: string, end: string]>([
    ['', '<link ', ''],
    ['', '<!--<link>', ''],
    ['', '<script>', ''],
    ['', '<div>', ''],
    ['', '<table><tr><td><b>x', ''],
    ['<table>', '<b>x', ''],
    ['<p ', 'a=1 ', '>'],
    ['<img srcset="', ',', 'a">'],
    ['<img srcset="', 'a 1x,', '">'],
    ['<a href="', '\t', 'x">'],
    ['<style>', 'url(', '</style>'],
    ['<style>', 'image-set(', '</style>'],
    ['<style>', '{', '</style>'],
    ['<style>', '\\75 ', '</style>'],
    ['<style>image-set(', `"'`, ')</style>'],
    ['<p style="', "url('a')", '">'],
    ['<svg><animate attributeName=href values="', ';', '">'],
  ])('takes linear time: %s%s…%s', async (start, unit, end) => {
    const html = withoutConnections(start + unit.repeat(300_000 / unit.length) + end)
    expect(html).not.toMatch(tag)
  })

  it('reads a srcset of 8 MB in parentheses to its end', () => {
    const html = `<img srcset="https://x.test/a ${'()'.repeat(4_000_000)}, https://x.test/b 2x">`
    expect(withoutConnections(html)).toContain('<body><img srcset="https://x.test/b 2x"></body>')
  })
})
