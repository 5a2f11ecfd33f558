/**
 * For each feature the smallest mail that uses it, and one that is close and does not. Written by hand, from the pages
 * of Can I email.
 */
export interface Example {
  uses: string
  near: string
}

const declaration = (css: string): string => `<i style="${css}">x</i>`
const sheet = (css: string): string => `<style>${css}</style>`
const html = (text: string): string => text

/** `slug: uses | near`, one a line. */
function table(text: string, wrap: (source: string) => string): [string, Example][] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [, slug = '', uses = '', near = ''] = /^\s*([\w-]+): (.*?) \| (.*)$/.exec(line) ?? []
      if (slug === '') throw new Error(`No example: ${line}`)
      return [slug, { uses: wrap(uses), near: wrap(near) }]
    })
}

const inDeclarations = table(
  `
  css-accent-color: accent-color: red | color: red
  css-align-items: align-items: center | align-content: center
  css-animation: animation-name: fade | animation-timeline: auto
  css-aspect-ratio: aspect-ratio: 1 | aspect: 1
  css-backdrop-filter: backdrop-filter: none | color: red
  css-background: background: red | background-color: red
  css-background-blend-mode: background-blend-mode: multiply | mix-blend-mode: multiply
  css-background-clip: background-clip: text | background: red
  css-background-color: background-color: red | background: red
  css-background-image: background-image: none | background: none
  css-background-origin: background-origin: border-box | background-attachment: fixed
  css-background-position: background-position: top | background-position-x: 0
  css-background-repeat: background-repeat: round | background: none
  css-background-size: background-size: cover | background-attachment: fixed
  css-block-inline-size: block-size: 1pt | max-block-size: 1pt
  css-border: border-top-color: red | border-collapse: collapse
  css-border-collapse: border-collapse: collapse | border: none
  css-border-image: border-image-slice: 1 | border: none
  css-border-inline-block: border-inline: none | border-inline-start: none
  css-border-inline-block-individual: border-block-end: none | border-block: none
  css-border-inline-block-longhand: border-inline-start-style: none | border-inline-start: none
  css-border-radius: border-top-left-radius: 0 | border-start-start-radius: 0
  css-border-radius-logical: border-start-end-radius: 0 | border-radius: 0
  css-border-spacing: border-spacing: 0 | border-collapse: collapse
  css-box-shadow: -webkit-box-shadow: none | text-shadow: none
  css-box-sizing: box-sizing: border-box | box-decoration-break: clone
  css-caption-side: caption-side: top | empty-cells: show
  css-clear: clear: both | float: left
  css-clip-path: clip-path: none | clip: auto
  css-color-scheme: color-scheme: dark | color: red
  css-column-count: column-count: 2 | columns: 2
  css-column-layout-properties: column-rule: none | column-gap: 0
  css-conic-gradient: list-style: conic-gradient(red, blue) | list-style: none
  css-cursor: cursor: pointer | color: red
  css-direction: direction: rtl | flex-direction: row
  css-display: display: inline | visibility: hidden
  css-display-flex: display: flex | display: inline
  css-display-grid: display: inline-grid | display: inline
  css-display-none: display: none | visibility: none
  css-empty-cells: empty-cells: hide | caption-side: top
  css-filter: filter: none | backdrop-filter: none
  css-flex-direction: flex-direction: column | flex-direction: row
  css-flex-wrap: flex-flow: row wrap | flex-flow: row nowrap
  css-float: float: left | clear: left
  css-font: font: inherit | font-weight: bold
  css-font-kerning: font-kerning: none | letter-spacing: 0
  css-font-size: font-size: small | font-weight: bold
  css-font-size-adjust: font-size-adjust: none | font-size: small
  css-font-stretch: font-stretch: condensed | font-weight: bold
  css-font-weight: font-weight: bold | font: inherit
  css-function-clamp: color: clamp(1, 2, 3) | color: clamp
  css-function-light-dark: color: light-dark(red, blue) | color: red
  css-function-max: color: max(1, 2) | color: max
  css-function-min: color: min(1, 2) | color: minmax(1, 2)
  css-gap: row-gap: 0 | gap-rule: 0
  css-grid-template: grid-template-areas: none | grid-area: none
  css-height: height: auto | line-height: 1
  css-hyphenate-character: hyphenate-character: auto | hyphens: auto
  css-hyphenate-limit-chars: hyphenate-limit-chars: auto | hyphens: auto
  css-hyphens: -ms-hyphens: auto | hyphenate-character: auto
  css-important: color: red !important | color: red
  css-inline-size: inline-size: auto | max-inline-size: none
  css-inset: inset-block-start: 0 | top: 0
  css-intrinsic-size: width: min-content | width: auto
  css-justify-content: justify-content: center | justify-items: center
  css-left-right-top-bottom: bottom: 0 | inset: 0
  css-letter-spacing: letter-spacing: 0 | word-spacing: 0
  css-line-height: line-height: 1 | height: auto
  css-linear-gradient: color: linear-gradient(red, blue) | color: red
  css-list-style: list-style: none | list-style-type: none
  css-list-style-image: list-style-image: none | list-style: none
  css-list-style-position: list-style-position: inside | list-style: inside
  css-list-style-type: list-style-type: disc | list-style: disc
  css-margin: margin-top: 0 | margin-block: 0
  css-margin-block-start-end: margin-block-start: 0 | margin-block: 0
  css-margin-inline-block: margin-inline: 0 | margin-inline-end: 0
  css-margin-inline-start-end: margin-inline-end: 0 | margin-inline: 0
  css-mask-image: -webkit-mask-image: none | mask: none
  css-max-block-size: max-block-size: none | max-height: none
  css-max-height: max-height: none | height: auto
  css-max-inline-size: max-inline-size: none | max-width: none
  css-max-width: max-width: none | width: auto
  css-min-block-size: min-block-size: 0 | min-height: 0
  css-min-height: min-height: 0 | height: auto
  css-min-inline-size: min-inline-size: 0 | min-width: 0
  css-min-width: min-width: 0 | width: auto
  css-mix-blend-mode: mix-blend-mode: multiply | background-blend-mode: multiply
  css-modern-color: color: oklch(1 0 0) | color: hsl(1 0 0)
  css-object-fit: object-fit: cover | object-position: top
  css-object-position: object-position: top | object-fit: cover
  css-opacity: opacity: 0 | visibility: hidden
  css-orphans: orphans: 2 | widows: 2
  css-outline: outline-style: none | outline-offset: 0
  css-outline-offset: outline-offset: 0 | outline: none
  css-overflow: overflow-x: auto | overflow-wrap: anywhere
  css-overflow-wrap: overflow-wrap: anywhere | overflow: auto
  css-padding: padding-left: 0 | padding-inline: 0
  css-padding-block-start-end: padding-block-end: 0 | padding-block: 0
  css-padding-inline-block: padding-block: 0 | padding-block-end: 0
  css-padding-inline-start-end: padding-inline-start: 0 | padding-inline: 0
  css-position: position: static | object-position: top
  css-radial-gradient: color: repeating-radial-gradient(red, blue) | color: red
  css-resize: resize: none | zoom: 1
  css-rgb: color: rgb(0, 0, 0) | color: rgba(0, 0, 0, 0)
  css-rgba: color: rgba(0, 0, 0, 0) | color: rgb(0, 0, 0)
  css-scroll-snap: scroll-snap-align: none | scroll-margin: 0
  css-shape-margin: shape-margin: 0 | shape-outside: none
  css-shape-outside: shape-outside: none | shape-margin: 0
  css-sytem-ui: font-family: ui-monospace | font-family: monospace
  css-tab-size: -moz-tab-size: 2 | color: red
  css-table-layout: table-layout: fixed | empty-cells: show
  css-text-align: text-align: left | text-align-last: left
  css-text-align-last: text-align-last: left | text-align: left
  css-text-decoration: text-decoration: none | text-decoration-line: none
  css-text-decoration-color: text-decoration-color: red | text-decoration: red
  css-text-decoration-line: text-decoration-line: none | text-decoration: none
  css-text-decoration-skip-ink: text-decoration-skip-ink: none | text-decoration: none
  css-text-decoration-style: text-decoration-style: wavy | text-decoration: wavy
  css-text-decoration-thickness: text-decoration-thickness: auto | text-decoration: none
  css-text-emphasis: text-emphasis-color: red | text-emphasis-position: over
  css-text-emphasis-position: text-emphasis-position: over | text-emphasis: none
  css-text-indent: text-indent: 0 | text-align: left
  css-text-justify: text-justify: none | text-align: justify
  css-text-orientation: text-orientation: mixed | writing-mode: initial
  css-text-overflow: text-overflow: clip | overflow: clip
  css-text-shadow: text-shadow: none | box-shadow: none
  css-text-transform: text-transform: none | transform: none
  css-text-underline-offset: text-underline-offset: auto | text-underline-position: auto
  css-text-underline-position: text-underline-position: auto | text-underline-offset: auto
  css-text-wrap: text-wrap: balance | word-wrap: normal
  css-transform: -webkit-transform: none | text-transform: none
  css-transition: transition-delay: inherit | animation: none
  css-unit-calc: color: calc(1 + 2) | color: calc
  css-unit-ch: color: 1ch | color: 1CHF
  css-unit-cm: color: 1cm | color: 1
  css-unit-em: color: .5em | color: 1rem
  css-unit-ex: color: 1ex | color: 1e3
  css-unit-in: color: 1in | color: in
  css-unit-initial: color: initial | color: inherit
  css-unit-mm: color: 1mm | color: 1mmm
  css-unit-pc: color: 1pc | color: pc
  css-unit-percent: color: 1% | color: 1
  css-unit-pt: color: 1PT | color: pt
  css-unit-px: color: -1px | color: url(1px)
  css-unit-rem: color: 1rem | color: 1em
  css-unit-vh: color: 1vh | color: 1dvh
  css-unit-vmax: color: 1vmax | color: 1vmin
  css-unit-vmin: color: 1vmin | color: 1vmax
  css-unit-vw: color: 1vw | color: 1svw
  css-user-select: -ms-user-select: none | cursor: none
  css-variables: color: var(--a) | color: --a
  css-vertical-align: vertical-align: top | text-align: left
  css-visibility: visibility: hidden | opacity: 0
  css-white-space: white-space: pre | white-space-collapse: preserve
  css-white-space-collapse: white-space-collapse: preserve | white-space: pre
  css-widows: widows: 2 | orphans: 2
  css-width: width: auto | max-width: none
  css-word-break: word-break: normal | word-wrap: normal
  css-word-spacing: word-spacing: 0 | letter-spacing: 0
  css-word-wrap: word-wrap: normal | overflow-wrap: normal
  css-writing-mode: writing-mode: initial | text-orientation: mixed
  css-z-index: z-index: 1 | zoom: 1
`,
  declaration,
)

const inSheets = table(
  `
  css-at-font-face: @font-face { font-family: a } | @font-feature-values a { }
  css-at-import: @import url(a.css); | @charset "utf-8";
  css-at-keyframes: @-webkit-keyframes a { from { } } | @media { }
  css-at-media: @media { } | @supports (a: b) { }
  css-at-media-device-pixel-ratio: @media (-webkit-min-device-pixel-ratio: 2) { } | @media (min-resolution: 2dppx) { }
  css-at-media-hover: @media (any-hover: none) { } | @media (pointer: fine) { }
  css-at-media-orientation: @media (orientation: portrait) { } | @media (width: 1px) { }
  css-at-media-prefers-color-scheme: @media screen and (prefers-color-scheme: dark) { } | @media (prefers-contrast: more) { }
  css-at-media-prefers-reduced-motion: @media (prefers-reduced-motion) { } | @media (prefers-contrast: more) { }
  css-at-supports: @supports (display: grid) { } | @media { }
  css-comments: /* a */ | i { content: "/* a */" }
  css-nesting: i { b { color: red } } | @media { i { color: red } }
  css-pseudo-class-active: :active { } | .active { }
  css-pseudo-class-checked: :checked { } | [checked] { }
  css-pseudo-class-default: :default { } | i { content: ":default" }
  css-pseudo-class-first-child: :first-child { } | :first-of-type { }
  css-pseudo-class-first-of-type: :first-of-type { } | :first-child { }
  css-pseudo-class-focus: :focus { } | :focus-within { }
  css-pseudo-class-focus-visible: :focus-visible { } | :focus { }
  css-pseudo-class-focus-within: :focus-within { } | :focus { }
  css-pseudo-class-has: :has(i) { } | :not(i) { }
  css-pseudo-class-hover: a:HOVER { } | .hover { }
  css-pseudo-class-lang: :lang(en) { } | [lang] { }
  css-pseudo-class-last-child: :last-child { } | :last-of-type { }
  css-pseudo-class-last-of-type: :last-of-type { } | :last-child { }
  css-pseudo-class-link: :link { } | :any-link { }
  css-pseudo-class-not: :not(i) { } | :is(i) { }
  css-pseudo-class-nth-child: :nth-child(2n) { } | :nth-last-child(2n) { }
  css-pseudo-class-nth-last-child: :nth-last-child(2n) { } | :nth-child(2n) { }
  css-pseudo-class-nth-last-of-type: :nth-last-of-type(2n) { } | :nth-of-type(2n) { }
  css-pseudo-class-nth-of-type: :nth-of-type(2n) { } | :nth-last-of-type(2n) { }
  css-pseudo-class-only-child: :only-child { } | :only-of-type { }
  css-pseudo-class-only-of-type: :only-of-type { } | :only-child { }
  css-pseudo-class-target: :target { } | [target] { }
  css-pseudo-class-visited: :visited { } | :link { }
  css-pseudo-element-after: i:after { } | .after { }
  css-pseudo-element-before: ::before { } | .before { }
  css-pseudo-element-first-letter: ::first-letter { } | ::first-line { }
  css-pseudo-element-first-line: ::first-line { } | ::first-letter { }
  css-pseudo-element-marker: ::marker { } | .marker { }
  css-pseudo-element-placeholder: ::-webkit-input-placeholder { } | [placeholder] { }
  css-selector-adjacent-sibling: i + b { } | i > b { }
  css-selector-attribute: [title] { } | i { }
  css-selector-chaining: .a.b { } | .a .b { }
  css-selector-child: i > b { } | i b { }
  css-selector-class: .a { } | #a { }
  css-selector-descendant: i .b { } | i , .b { }
  css-selector-general-sibling: i ~ b { } | i b { }
  css-selector-grouping: i, b { } | :is(i, b) { }
  css-selector-id: #a { } | .a { }
  css-selector-type: i { } | .i { }
  css-selector-universal: * { } | i { }
`,
  sheet,
)

const inHtml = table(
  `
  css-inert-attribute: <i inert>x</i> | <i class="inert">x</i>
  html-abbr: <abbr>x</abbr> | <acronym>x</acronym>
  html-acronym: <acronym>x</acronym> | <abbr>x</abbr>
  html-address: <address>x</address> | <i>x</i>
  html-align: <i align="left">x</i> | <i valign="top">x</i>
  html-anchor-links: <a href="#top">x</a> | <a href="https://a.test/#top">x</a>
  html-aria-describedby: <i aria-describedby="a">x</i> | <i aria-details="a">x</i>
  html-aria-hidden: <i aria-hidden="true">x</i> | <i hidden>x</i>
  html-aria-label: <i aria-label="a">x</i> | <i aria-labelledby="a">x</i>
  html-aria-labelledby: <i aria-labelledby="a">x</i> | <i aria-label="a">x</i>
  html-aria-live: <i aria-live="off">x</i> | <i aria-busy="true">x</i>
  html-audio: <audio></audio> | <video></video>
  html-background: <td background="a"> | <td bgcolor="red">
  html-base: <base> | <basefont>
  html-bdi: <bdi>x</bdi> | <bdo>x</bdo>
  html-blockquote: <blockquote>x</blockquote> | <q>x</q>
  html-body: <body> | <tbody>
  html-button-reset: <button type="reset">x</button> | <button>x</button>
  html-button-submit: <button>x</button> | <button type="button">x</button>
  html-cellpadding: <i cellpadding="0"> | <i cellspacing="0">
  html-cellspacing: <i cellspacing="0"> | <i cellpadding="0">
  html-code: <code>x</code> | <kbd>x</kbd>
  html-comments: <!-- a --> | &lt;!-- a --&gt;
  html-del: <del>x</del> | <ins>x</ins>
  html-dfn: <dfn>x</dfn> | <em>x</em>
  html-dialog: <dialog>x</dialog> | <i role="dialog">x</i>
  html-dir: <i dir="rtl">x</i> | <dir>x</dir>
  html-div: <div>x</div> | <center>x</center>
  html-doctype: <!doctype html> | <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">
  html-form: <form></form> | <fieldset></fieldset>
  html-h1-h6: <h4>x</h4> | <header>x</header>
  html-height: <i height="1"> | <i width="1">
  html-hidden: <i hidden>x</i> | <input type="hidden">
  html-hr: <hr> | <br>
  html-image-maps: <map></map> | <i ismap>
  html-img: <img> | <image>
  html-input-checkbox: <input type="checkbox"> | <input>
  html-input-hidden: <input type="hidden"> | <input>
  html-input-radio: <input type="RADIO"> | <input>
  html-input-reset: <input type="reset"> | <input type="submit">
  html-input-submit: <input type="submit"> | <input type="image">
  html-input-text: <input> | <input type="password">
  html-lang: <i lang="en">x</i> | <i xml:lang="en">x</i>
  html-link: <link> | <a href="https://a.test">x</a>
  html-lists: <ol></ol> | <menu></menu>
  html-loading-attribute: <i loading="lazy"> | <i decoding="async">
  html-mailto-links: <a href="mailto:a@a.test">x</a> | <a href="tel:1">x</a>
  html-marquee: <marquee>x</marquee> | <blink>x</blink>
  html-meta-color-scheme: <meta name="color-scheme"> | <meta name="theme-color">
  html-meter: <meter></meter> | <progress></progress>
  html-object: <object></object> | <embed>
  html-p: <p>x</p> | <pre>x</pre>
  html-picture: <picture></picture> | <img>
  html-popover: <i popover>x</i> | <i popovertarget="a">x</i>
  html-pre: <pre>x</pre> | <p>x</p>
  html-progress: <progress></progress> | <meter></meter>
  html-required: <i required> | <i readonly>
  html-role: <i role="img">x</i> | <i roles="img">x</i>
  html-rp: <rp>x</rp> | <rt>x</rt>
  html-rt: <rt>x</rt> | <rp>x</rp>
  html-ruby: <ruby>x</ruby> | <rt>x</rt>
  html-select: <select></select> | <option></option>
  html-semantics: <figcaption>x</figcaption> | <i>x</i>
  html-small: <small>x</small> | <big>x</big>
  html-span: <span>x</span> | <i span="2">x</i>
  html-srcset: <i srcset="a 2x"> | <i src="a">
  html-strike: <strike>x</strike> | <s>x</s>
  html-strong: <strong>x</strong> | <b>x</b>
  html-style: <style></style> | <i style="">x</i>
  html-svg: <svg></svg> | <img src="a.svg">
  html-table: <table></table> | <td>x</td>
  html-target: <i target="_blank">x</i> | <i>x</i>
  html-textarea: <textarea></textarea> | <input>
  html-valign: <td valign="top"> | <td align="left">
  html-video: <video></video> | <audio></audio>
  html-wbr: <wbr> | <br>
  html-width: <i width="1"> | <i height="1">
  image-apng: <img src="a.apng"> | <img src="a.png">
  image-avif: <img srcset="a.webp 1x, a.avif 2x"> | <img src="avif">
  image-base64: <img src="data:image/png;base64,AA=="> | <img src="data:image/png,a">
  image-bmp: <img src="a.bmp"> | <a href="a.bmp">x</a>
  image-gif: <td background="a.gif?b=c"> | <td background="gif">
  image-hdr: <img src="a.hdr"> | <img src="a.png">
  image-heif: <img src="a.heic"> | <img src="a.png">
  image-ico: <img src="a.ico"> | <link href="a.ico">
  image-jpg: <img src="https://a.test/b.JPEG#c"> | <img src="https://a.test/jpg">
  image-mp4: <img src="a.mp4"> | <video src="a.mp4"></video>
  image-png: <i style="background: url('a.png')">x</i> | <i style="content: 'a.png'">x</i>
  image-svg: <img src="data:image/svg+xml,a"> | <svg></svg>
  image-tiff: <img src="a.tif"> | <img src="a.tif.txt">
  image-webp: <picture><source srcset="a.webp"></picture> | <a href="a.webp">x</a>
`,
  html,
)

/** By slug. */
export const examples: ReadonlyMap<string, Example> = new Map([...inDeclarations, ...inSheets, ...inHtml])
