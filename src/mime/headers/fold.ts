/**
 * Folds a header field of printable ASCII into lines of at most 76 characters where it has spaces, as nodemailer does.
 *
 * @see RFC 5322 section 2.2.3
 */
export function foldField(field: string): string {
  let folded = ''
  let remaining = field
  while (remaining.length >= maxLine) {
    // The last space of the line; in a line without one, the next space after it.
    let end = remaining.lastIndexOf(' ', maxLine - 1)
    while (end > 0 && remaining[end - 1] === ' ') end--
    if (end <= 0) end = remaining.indexOf(' ', maxLine)
    if (end <= 0) break
    folded += `${remaining.slice(0, end)}\r\n`
    remaining = remaining.slice(end)
  }
  return folded + remaining
}

const maxLine = 76

/**
 * Whether a subject becomes an encoded word that nodemailer would leave as written, and that a reader would not get back:
 * text that looks like an encoded word, and long text without spaces, which cannot be folded below 998 octets.
 */
export function needsEncoding(subject: string): boolean {
  return subject.includes('=?') || /\S{200}/.test(subject)
}
