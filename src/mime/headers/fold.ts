/**
 * Folds a header field of printable ASCII into lines of at most 76 characters where it has spaces, as nodemailer does.
 *
 * @see RFC 5322 section 2.2.3
 */
export function foldField(field: string): string {
  let folded = ''
  let rest = field
  while (rest.length >= maxLine) {
    // The last space of the line; in a line without one, the next space after it.
    let end = rest.lastIndexOf(' ', maxLine - 1)
    while (end > 0 && rest[end - 1] === ' ') end--
    if (end <= 0) end = rest.indexOf(' ', maxLine)
    if (end <= 0) break
    folded += `${rest.slice(0, end)}\r\n`
    rest = rest.slice(end)
  }
  return folded + rest
}

const maxLine = 76
