/**
 * Whether HTML may be loaded before its mail is opened: it is short, and contains no style that is known to cost much time. A
 * hidden frame runs animations too, and those that run once would be over when the mail is opened.
 */
export const isLight = (html: string): boolean => html.length <= longestLight && !costly.test(html)

/**
 * Whether the HTML of a mail that is being opened may be loaded before it is known: it is short, whatever it is. The size is 0
 * while no message is written.
 */
export const isSmall = ({ size_bytes }: { size_bytes: number }): boolean =>
  size_bytes > 0 && size_bytes <= longestLight

/**
 * Characters of HTML, or bytes of a message, which has at least as many as its HTML has characters. Laying out a longer mail
 * could be felt while another one is read.
 */
const longestLight = 100_000
/** Animations, which run where nobody sees them, and the selector that is searched for again at every change. */
const costly = /keyframes|<(?:animate|set|marquee)|:has\(/i
