/**
 * The appearance of a mail: `light` and `dark` use its own styles, whatever the reader's system prefers. `inverted` is
 * what some clients do to a light mail: they invert all colours except those of pictures.
 */
export type Appearance = 'light' | 'dark' | 'inverted'

/**
 * HTML that always has one appearance. A frame follows the colour scheme of the system and has no option for another
 * one, so the media conditions in the mail are replaced in its text. The viewer inverts the colours: here the pictures
 * are inverted first, so that they look unchanged afterwards.
 *
 * @param html  Untrusted HTML. The time is linear in its length.
 * @param remoteImages  Whether the viewer loads them. If it does not, it shows their alternative text, which is inverted
 *   like other text.
 */
export function withAppearance(
  html: string,
  appearance: Appearance,
  { remoteImages = false }: { remoteImages?: boolean } = {},
): string {
  const scheme = appearance === 'dark' ? 'dark' : 'light'
  const answered = html.replace(condition, (_, asked: string) =>
    asked.toLowerCase() === scheme ? alwaysTrue : alwaysFalse,
  )
  // The style is at the end, because before the doctype it would change the layout of the whole mail.
  if (appearance === 'inverted')
    return `${answered}<style>${invertedPictures}${remoteImages ? '' : uninvertedAlternativeText}</style>`
  // A mail that supports both schemes has the system colours, fields and scroll bars of both.
  return knowsBoth.test(html)
    ? `${answered}<style>:root{color-scheme:${scheme} only!important}</style>`
    : answered
}

const condition = /\(\s{0,9}prefers-color-scheme\s{0,9}:\s{0,9}(dark|light)\s{0,9}\)/gi
const alwaysTrue = '(min-width:0px)'
const alwaysFalse = '(max-width:0px)'
// `color-scheme: light dark` in a style, or in the meta element's `content`; bounded, because the text is untrusted.
const knowsBoth = /(?<!prefers-)color-schemes?\b[^>;}]{0,80}\bdark\b/i
const invertedPictures = 'img,picture>img,video,svg,canvas{filter:invert(1) hue-rotate(180deg)!important}'
const uninvertedAlternativeText = 'img[src^="http" i],img[src^="//"]{filter:none!important}'
