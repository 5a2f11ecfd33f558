/**
 * How a mail is to look: `light` and `dark` as its own styles have it, whatever the reader's system prefers; `inverted`
 * as clients do that turn the colours of a light mail around, all but those of pictures.
 */
export type Appearance = 'light' | 'dark' | 'inverted'

/**
 * HTML that shows itself in one appearance. A frame follows the system's colour scheme and offers no way to say
 * otherwise, so the mail's own conditions are answered in its text. The inversion itself is the viewer's: here the
 * pictures are turned around beforehand, so that they come out as they are.
 *
 * @param html  Of anybody; whatever it holds, it costs one pass.
 * @param remoteImages  Whether the viewer loads them. One that does not shows their words instead, and words are
 * inverted as all others.
 */
export function withAppearance(
  html: string,
  appearance: Appearance,
  { remoteImages = false }: { remoteImages?: boolean } = {},
): string {
  const scheme = appearance === 'dark' ? 'dark' : 'light'
  const answered = html.replace(condition, (_, asked: string) =>
    asked.toLowerCase() === scheme ? holds : holdsNot,
  )
  // At the end: before the doctype it would change how the whole mail is laid out.
  if (appearance === 'inverted')
    return `${answered}<style>${turnedPictures}${remoteImages ? '' : wordsOfPictures}</style>`
  // A mail that says it can do both has system colours, fields and scroll bars of both.
  return knowsBoth.test(html)
    ? `${answered}<style>:root{color-scheme:${scheme} only!important}</style>`
    : answered
}

const condition = /\(\s{0,9}prefers-color-scheme\s{0,9}:\s{0,9}(dark|light)\s{0,9}\)/gi
const holds = '(min-width:0px)'
const holdsNot = '(max-width:0px)'
// `color-scheme: light dark` in a style, or in the meta element's `content`; bounded, as it is anybody's text.
const knowsBoth = /(?<!prefers-)color-schemes?\b[^>;}]{0,80}\bdark\b/i
const turnedPictures = 'img,picture>img,video,svg,canvas{filter:invert(1) hue-rotate(180deg)!important}'
const wordsOfPictures = 'img[src^="http" i],img[src^="//"]{filter:none!important}'
