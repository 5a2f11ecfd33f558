import { describe, expect, it } from 'vitest'
import { withoutConnections } from '../../../src/mime/html/without-connections.ts'

/** How a browser finds a tag: a `<`, the name in any case, then white space, a slash or a closing bracket. */
const tag =
  /<\/?(?:link|meta(?! name="(?:color-scheme|viewport)" content)|base(?! target="_top">)|script|iframe|frame|frameset|object|embed|applet|portal|fencedframe)(?=[\s/>])/i

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
    '<object data=//x.test></object>',
    '<embed src=//x.test>',
    '<portal src=//x.test></portal>',
    '<fencedframe></fencedframe>',
  ])('no longer has %s', async (html) => {
    expect(await withoutConnections(`<p>before</p>${html}<p>after</p>`)).toMatch(
      /^<p>before<\/p>(?:<!---->)*<p>after<\/p>$/,
    )
  })

  it('has no address for relative links, which lead nowhere', async () => {
    const html = '<p>before</p><base href="//x.test/" target=_self><p>after</p>'
    expect(await withoutConnections(html)).toBe('<p>before</p><base target="_top"><p>after</p>')
  })

  it('keeps the rest of a mail, byte for byte', async () => {
    const mail = `<!doctype html><html><head><title>A <link> in words</title><style>p > a { color: red }</style></head>
<body class="a" style='b:c'><!-- note --><table background=//x.test><tr><td>1 &lt; 2 & <a href="https://x.test/?a=1&b=2">go</a>
<img srcset="//x.test/a 1x, data:image/png;base64,QUJD 2x"><svg><use href=#x /></svg><input type=image src=cid:x><video poster=https://x.test></video></table>ping = attributionsrc <`
    expect(await withoutConnections(mail)).toBe(mail.replace('A <link> in', 'A &lt;link> in'))
    expect(await withoutConnections('<linked><metal><x-link><baseline>')).toBe(
      '<linked><metal><x-link><baseline>',
    )
  })

  it.each([
    ['<a href=a>x</a>', '<a href="about:invalid">x</a>'],
    ["<a title=b href='/dev/reset' class=c>x</a>", '<a title=b href="about:invalid" class=c>x</a>'],
    ['<a href="?x">x</a>', '<a href="about:invalid">x</a>'],
    ['<a href="&#47;x">x</a>', '<a href="about:invalid">x</a>'],
    ['<a href=" \n http:x">x</a>', '<a href="about:invalid">x</a>'],
    ['<area HREF=x>', '<area href="about:invalid">'],
    [
      '<svg><a xlink:href=x><image href="y"/></a></svg>',
      '<svg><a xlink:href="about:invalid"><image href="about:invalid"/></a></svg>',
    ],
    ['<img src=x.png>', '<img src="about:invalid">'],
    ['<img srcset="//x.test/a 1x, b.png 2x">', '<img srcset="about:invalid">'],
    ['<source srcset="b.png, data:image/png;base64,QUJD 2x">', '<source srcset="about:invalid">'],
    ['<body background=x>', '<body background="about:invalid">'],
    ['<video src=x poster=y>', '<video src="about:invalid" poster="about:invalid">'],
    [
      '<form action="/dev/reset"><button formaction=x>',
      '<form action="about:invalid"><button formaction="about:invalid">',
    ],
    ['<p style="background:url( x.png )">', '<p style="background:url( about:invalid)">'],
    [`<p style='background: URL("x.png")'>`, '<p style="background: URL(&#34;about:invalid&#34;)">'],
    ['<p style="background:url(&quot;/x&quot;)">', '<p style="background:url(&#34;about:invalid&#34;)">'],
    ['<style>p{background:url(x.png)}</style>', '<style>p{background:url(about:invalid)}</style>'],
    [
      '<style>p{background:image-set("x.png" 1x, url(y) 2x)}',
      '<style>p{background:image-set("about:invalid" 1x, url(about:invalid) 2x)}',
    ],
  ])('has no relative address: %s', async (html, safe) => {
    expect(await withoutConnections(html)).toBe(safe)
  })

  it.each([
    '<a href="#part">x</a>',
    '<a href="">x</a>',
    '<a href="mailto:a@x.test">x</a>',
    '<a href="HTTPS://x.test/?a=1&b">x</a>',
    '<img src=//x.test/a.png>',
    '<img src="data:image/png;base64,QUJD">',
    '<img srcset="https://x.test/a.png, https://x.test/b.png 2x">',
    '<p style="color:red;background:url(https://x.test/a.png)">',
    '<style>p{background:url(data:image/png;base64,QUJD) , url("//x.test")}</style>',
    '<style>p{background:image-set("https://x.test/a" type("image/png"))}</style>',
  ])('keeps an absolute address: %s', async (html) => {
    expect(await withoutConnections(html)).toBe(html)
  })

  it('has no relative address in a long style sheet either', async () => {
    const rule = 'p{background:url(x)}\n'
    const written = await withoutConnections(`<p>a</p><style>${rule.repeat(20_000)}</style><p>b</p>`)
    expect(written).toBe(
      `<p>a</p><style>${rule.replace('x', 'about:invalid').repeat(20_000)}</style><p>b</p>`,
    )
  })

  it('keeps the meta elements for the appearance', async () => {
    const said =
      '<META content="light dark" NAME=color-scheme><meta name="viewport" content="width=device-width">'
    expect(await withoutConnections(said)).toBe(
      '<meta name="color-scheme" content="light dark"><meta name="viewport" content="width=device-width">',
    )
    expect(await withoutConnections("<meta name=viewport content='\"><link rel=preconnect>'>")).not.toMatch(
      tag,
    )
  })

  it('loses the attributes that request more than the target of a link', async () => {
    expect(
      await withoutConnections(
        '<a ping="//x.test" href=#a>1</a><a PING=//x.test>2</a><img attributionsrc src=//b>',
      ),
    ).toBe('<a   href=#a>1</a><a  >2</a><img   src=//b>')
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
    expect(await withoutConnections(html)).not.toMatch(tag)
  })

  it('has none across the chunks in which it is read', async () => {
    const hidden = '<link rel=preconnect href="//x.test">'
    for (let shift = 0; shift < hidden.length + 2; shift++) {
      const before = 'x'.repeat(64 * 1024 - shift)
      expect(await withoutConnections(`${before}${hidden}after`)).toBe(`${before}<!---->after`)
      expect(await withoutConnections(`${before}<!--${hidden}-->`)).not.toMatch(tag)
    }
  })

  it('is cleaned in linear time, whatever it repeats', async () => {
    for (const unit of [
      '<link ',
      '<link a="',
      '<!--<link>',
      '<script>',
      '</link ',
      '<iframe>',
      '<a ping ',
      '<',
    ])
      expect(await withoutConnections(unit.repeat(4_000_000 / unit.length))).not.toMatch(tag)
  })
})

describe('the addresses of a mail', () => {
  it.each<[start: string, unit: string, end: string]>([
    ['<img srcset="a', ',', 'a">'],
    ['<img srcset="', ', ', 'a">'],
    ['<img srcset="', 'http://x.test/a 1x,', '">'],
    ['<img srcset="', '1.', '">'],
    ['<a href="', '\t', 'x">'],
    ['<style>', 'url(', '</style>'],
    ['<style>', 'url( ', '</style>'],
    ['<style>', 'image-set(', '</style>'],
    ['<style>image-set(', '"', ')</style>'],
    ['<style>image-set(', `"'`, ')</style>'],
    ['<style>image-set("a" type(', ' ', '"b"))</style>'],
    ['<p style="', "url('a')", '">'],
  ])('are read in linear time in %s%s…%s', async (start, unit, end) => {
    const html = await withoutConnections(start + unit.repeat(2_000_000 / unit.length) + end)
    expect(html).not.toMatch(/url\('?a|srcset="(?!about:invalid")/)
  })

  it('are not looked for in a style sheet with more than 20,000 of them, which is left out', async () => {
    const sheet = (count: number): string => `<style>${'p{background:url(//x)}'.repeat(count)}</style>`
    expect(await withoutConnections(sheet(20_000))).toBe(sheet(20_000))
    expect(await withoutConnections(`${sheet(20_001)}<p>x`)).toBe('<style></style><p>x')
    const quotes = `<style>${'p{font-family:"x"}'.repeat(10_001)}</style>`
    expect(await withoutConnections(quotes)).toBe('<style></style>')
  })

  it('are replaced in a srcset of more than 1,000 words', async () => {
    const image = (count: number): string => `<img srcset="${'//x.test/a '.repeat(count)}">`
    expect(await withoutConnections(image(1000))).toBe(image(1000))
    expect(await withoutConnections(image(1001))).toBe('<img srcset="about:invalid">')
    expect(await withoutConnections('<img srcset=",,//x.test/a,, 2x,,a,,">')).toBe(
      '<img srcset="about:invalid">',
    )
  })
})

it('a removed pixel leaves nothing of itself, also at the end', async () => {
  const pixel = '<p>Hello</p><img src="/p.gif" width="1" height="1"></body></html>'
  for (const remote of ['images', 'all'] as const) {
    const html = await withoutConnections(pixel, { remote })
    expect(html).not.toContain('about:invalid')
    expect(html).not.toContain('p.gif')
  }
})

it.each(['shadowrootmode="closed"', 'shadowrootmode=open', 'shadowroot="open"'])(
  'a template with %s makes no shadow tree, in which links could not be seen',
  async (attribute) => {
    const mail = `<div><template ${attribute}><a href="http://x.test">x</a></template></div>`
    expect(await withoutConnections(mail)).not.toMatch(/shadowroot/i)
  },
)
