/** One way in which HTML makes a browser connect or look a name up. */
export interface ConnectingHtml {
  name: string
  /** @param url  `http://host:port`, which no other member uses. */
  html(url: string): string
  /**
   * When a browser follows it without our filter: `always`, `unlimited` if the policy of the mail's frame is missing
   * too, or `never` if the current Chromium does not know it.
   */
  unfiltered: 'always' | 'unlimited' | 'never'
  /** What it loads after the reader allowed remote content; nothing if missing. */
  allowed?: 'image' | 'font' | 'style sheet'
  /** Whether it needs a whole page: it has elements of class `press` to be clicked, or does nothing in a frame. */
  alone?: true
}

type Html = (url: string) => string

const table = (
  unfiltered: ConnectingHtml['unfiltered'],
  rows: Record<string, Html>,
  rest: Pick<ConnectingHtml, 'allowed' | 'alone'> = {},
): ConnectingHtml[] => Object.entries(rows).map(([name, html]) => ({ name, html, unfiltered, ...rest }))

const css =
  (name: string, write: Html): Html =>
  (url) =>
    `<style>.${name}{${write(url)}}</style><div class="${name}">x</div>`
const svg =
  (write: Html): Html =>
  (url) =>
    `<svg width=20 height=20>${write(url)}</svg>`
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
const form =
  (write: Html): Html =>
  (url) =>
    `<form method=post action="about:blank">${write(url)}</form>`

/** `<link>` elements that open a connection, and the places where a parser may miss them. */
const hints = table('always', {
  preconnect: (url) => `<link rel=preconnect href="${url}">`,
  'preconnect in capitals': (url) => `<LINK HREF='${url}' REL="PreConnect">`,
  'preconnect among others': (url) => `<link rel="alternate preconnect nofollow" href="${url}" crossorigin>`,
  'preconnect with slashes': (url) => `<link/rel="preconnect"/href="${url}"/>`,
  'preconnect in entities': (url) => `<link rel="&#112;reconnect" href="${url}">`,
  'preconnect after a wrong comment': (url) => `<!--><link rel=preconnect href="${url}">-->`,
  'preconnect in noscript': (url) => `<noscript><link rel=preconnect href="${url}"></noscript>`,
  'preconnect after SVG': (url) => `<svg><p><link rel=preconnect href="${url}"></svg>`,
  'preconnect after a closed title': (url) => `<svg><title><link rel=preconnect href="${url}"></title></svg>`,
})

/** Everything else that the mail's frame must block by its policy, or the filter must remove. */
const others = [
  ...table('always', {
    'preconnect in srcdoc': (url) => `<iframe srcdoc='<link rel=preconnect href="${url}">'></iframe>`,
    'source of a frame': (url) => `<iframe src="${url}/a"></iframe>`,
    'frame in SVG': svg((url) => `<foreignObject><iframe src="${url}/a"></iframe></foreignObject>`),
    'declarative shadow root': (url) =>
      `<div><template shadowrootmode=open><link rel=preconnect href="${url}"></template></div>`,
  }),
  ...table('unlimited', {
    'refresh by meta': (url) => `<meta http-equiv=refresh content="0;url=${url}/a">`,
    'compression dictionary': (url) => `<link rel=compression-dictionary href="${url}/m">`,
    'web bundle': (url) => `<script type=webbundle>{"source":"${url}/a","resources":["${url}/b"]}</script>`,
    prefetch: (url) => `<link rel=prefetch href="${url}/a">`,
    'preload of an image': (url) => `<link rel=preload as=image href="${url}/a.png">`,
    'preload of image sources': (url) => `<link rel=preload as=image imagesrcset="${url}/a.png 1x">`,
    'preload of a font': (url) => `<link rel=preload as=font href="${url}/f" crossorigin>`,
    'preload for fetch': (url) => `<link rel=preload as=fetch href="${url}/f" crossorigin>`,
    modulepreload: (url) => `<link rel=modulepreload href="${url}/a.js">`,
    'source of a script': (url) => `<script src="${url}/a.js"></script>`,
    'source of a module': (url) => `<script type=module src="${url}/a.js"></script>`,
    'script of SVG': svg((url) => `<script href="${url}/a.js"></script>`),
    'event handler': (url) => `<img src="data:," onerror="fetch('${url}/a')">`,
    'image in srcdoc': (url) => `<iframe srcdoc='<img src="${url}/a">'></iframe>`,
    object: (url) => `<object data="${url}/a"></object>`,
    'image object': (url) => `<object type=image/png data="${url}/a"></object>`,
    embed: (url) => `<embed src="${url}/a">`,
    'source of a video': (url) => `<video src="${url}/a" preload=auto></video>`,
    'source of an audio': (url) => `<audio src="${url}/a" preload=auto></audio>`,
    'source element of a video': (url) => `<video preload=auto><source src="${url}/a"></video>`,
    'a stylesheet as an alternative': (url) => `<link rel="alternate stylesheet" title=x href="${url}/a">`,
    'a stylesheet for print': (url) => `<link rel="preload stylesheet" as=style href="${url}/a">`,
  }),
  ...table('never', {
    icon: (url) => `<link rel="shortcut icon" href="${url}/a.png">`,
    track: (url) => `<video src="data:,"><track default kind=subtitles src="${url}/a"></video>`,
    attributionsrc: (url) => `<img src="data:," attributionsrc="${url}/a">`,
    prerender: (url) => `<link rel=prerender href="${url}/a">`,
    manifest: (url) => `<link rel=manifest href="${url}/m">`,
    applet: (url) => `<applet code="${url}/a" archive="${url}/b"></applet>`,
    portal: (url) => `<portal src="${url}/a"></portal>`,
    'fenced frame': (url) => `<fencedframe src="${url}/a"></fencedframe>`,
    bgsound: (url) => `<bgsound src="${url}/a">`,
    'manifest of an application': (url) => `<html manifest="${url}/a">`,
    'processing instruction': (url) => `<?xml-stylesheet href="${url}/a"?>`,
    'policy with a report': (url) =>
      `<meta http-equiv=content-security-policy content="img-src 'none'; report-uri ${url}/a">`,
    'mathematics with an address': (url) => `<math href="${url}/a"><mi href="${url}/b">x</mi></math>`,
    'old sources of an image': (url) => `<img lowsrc="${url}/a" dynsrc="${url}/b" longdesc="${url}/c">`,
    'behaviour of CSS': css('be', (url) => `behavior:url(${url}/a);-moz-binding:url(${url}/b)`),
    use: svg((url) => `<use href="${url}/a#x"/>`),
    filter: css('fl', (url) => `filter:url(${url}/a#x)`),
    'namespace of CSS': (url) => `<style>@namespace url(${url}/a);</style>`,
  }),
]

const images = table(
  'unlimited',
  {
    img: (url) => `<img src="${url}/a">`,
    srcset: (url) => `<img srcset="${url}/a 1x, ${url}/b 2x">`,
    'source of a picture': (url) => `<picture><source srcset="${url}/a"><img></picture>`,
    'input of type image': (url) => `<input type=image src="${url}/a">`,
    'poster of a video': (url) => `<video poster="${url}/a"></video>`,
    'background of the body': (url) => `<body background="${url}/a">`,
    'background of a table': (url) => `<table background="${url}/a"><tr><td>x</td></tr></table>`,
    'background of a cell': (url) => `<table><tr><td background="${url}/a">x</td></tr></table>`,
    'style attribute': (url) => `<p style="background:url(${url}/a)">x</p>`,
    background: css('bg', (url) => `background:#fff url("${url}/a")`),
    'list-style-image': css('ls', (url) => `display:list-item;list-style-image:url(${url}/a)`),
    'border-image': css('bi', (url) => `border:9px solid;border-image:url(${url}/a) 9`),
    content: css('co', (url) => `content:url(${url}/a)`),
    'content before': (url) => `<style>.cb::before{content:url(${url}/a)}</style><p class=cb>x</p>`,
    'mask-image': css('ma', (url) => `mask-image:url(${url}/a)`),
    'shape-outside': css('so', (url) => `float:left;shape-outside:url(${url}/a)`),
    'image-set': css('is', (url) => `background-image:image-set("${url}/a" 1x, "${url}/b" 2x)`),
    '-webkit-image-set': css('ws', (url) => `background-image:-webkit-image-set(url(${url}/a) 1x)`),
    'cross-fade': css(
      'cf',
      (url) => `background-image:-webkit-cross-fade(url(${url}/a), url(${url}/b), 50%)`,
    ),
    'custom property': css('cp', (url) => `--x:url(${url}/a);background-image:var(--x)`),
    'escaped url': css('eu', (url) => `background-image:\\75 rl(${url}/a)`),
    'style in SVG': svg((url) => `<style>.sv{background:url(${url}/a)}</style></svg><p class=sv>x</p><svg>`),
    'image of SVG': svg((url) => `<image href="${url}/a" width=9 height=9 />`),
    'image of SVG by xlink': svg((url) => `<image xlink:href="${url}/a" width=9 height=9 />`),
    'image set by an animation': svg(
      (url) => `<image width=9 height=9><set attributeName=href to="${url}/a"/></image>`,
    ),
    feImage: svg(
      (url) => `<filter id=fi><feImage href="${url}/a"/></filter><rect filter="url(#fi)" width=9 height=9 />`,
    ),
    'clip-path': css('cl', (url) => `clip-path:url(${url}/a#x)`),
    cursor: (url) => `<style>body{cursor:url(${url}/a),auto}</style>`,
  },
  { allowed: 'image' },
)

const fonts = table(
  'unlimited',
  {
    'font-face': (url) =>
      `<style>@font-face{font-family:"f1";src:url(${url}/a)}.f1{font-family:"f1"}</style><p class=f1>x</p>`,
    'font-face in SVG': svg(
      (url) =>
        `<style>@font-face{font-family:"f2";src:url(${url}/a)}.f2{font-family:"f2"}</style><text class=f2 y=9>x</text>`,
    ),
  },
  { allowed: 'font' },
)

const sheets = table(
  'unlimited',
  {
    stylesheet: (url) => `<link rel=stylesheet href="${url}/a.css">`,
    import: (url) => `<style>@import "${url}/a";</style>`,
    'import by url': (url) => `<style>@import url(${url}/a) screen;</style>`,
    'import in SVG': svg((url) => `<style>@import "${url}/a";</style>`),
  },
  { allowed: 'style sheet' },
)

/** What the reader clicks, but for links to web pages, which a click opens in a new tab; and what needs a whole page. */
const alone = table(
  'unlimited',
  {
    'speculation rules': (url) =>
      `<script type=speculationrules>{"prefetch":[{"source":"list","eagerness":"immediate","urls":["${url}/a"]}],"prerender":[{"urls":["${url}/b"]}]}</script>`,
    form: (url) => `<form action="${url}/a"><button class=press>x</button></form>`,
    'form to a new tab': (url) =>
      `<form target=_blank action="${url}/a"><input class=press type=submit></form>`,
    'form to the whole page': (url) =>
      `<form target=_top action="${url}/a"><button class=press>x</button></form>`,
    formaction: form((url) => `<button class=press formaction="${url}/a">x</button>`),
    'formaction of an input': form((url) => `<input class=press type=submit formaction="${url}/a">`),
    'formaction of an image': form(
      (url) => `<input class=press type=image src="data:," alt=x formaction="${url}/a">`,
    ),
    'formaction for a form elsewhere': (url) =>
      `<form id=elsewhere></form><button class=press form=elsewhere formaction="${url}/a">x</button>`,
    ping: (url) => `<a class=press href="#x" ping="${url}/a">x</a>`,
    'ping of an area': (url) =>
      `<map name=pa><area shape=default href="#x" ping="${url}/a"></map><img class=press usemap="#pa" width=20 height=20 src="${pixel}">`,
    'script in a link': (url) => `<a class=press href="javascript:void fetch('${url}/a')">x</a>`,
    'script on a click': (url) => `<b class=press onclick="fetch('${url}/a')">x</b>`,
  },
  { alone: true },
)

/** The members of the class, each with a connection of its own. */
export const connectingHtml: readonly ConnectingHtml[] = [
  ...alone,
  ...hints,
  ...others,
  ...images,
  ...fonts,
  ...sheets,
]

/** Elements whose hosts a browser may look up without a connection. */
export const lookups: Html = (host) =>
  `<meta http-equiv="x-dns-prefetch-control" content="on"><link rel="dns-prefetch" href="//link.${host}">
   <a href="http://anchor.${host}/">a link</a> <map name=m><area href="http://area.${host}/"></map>
   <form action="http://form.${host}/"></form><math><mi href="http://math.${host}/">x</mi></math>
   <svg><a href="http://svg.${host}/"><text y=9>x</text></a></svg>`
