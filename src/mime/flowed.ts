/** Joins the lines of a text in format=flowed, which may come in pieces. */
export interface FlowedJoiner {
  /**
   * @param text  Lines that end with LF; a piece may end anywhere.
   * @returns The text that is joined so far.
   */
  write(text: string): string
  end(): string
}

/**
 * @param deletesSpaces  Whether the space at the end of a joined line goes (`DelSp=yes`).
 * @see RFC 3676 section 4
 */
export function createFlowedJoiner(deletesSpaces: boolean): FlowedJoiner {
  let open = false
  /** The beginning of a line whose end is still to come. */
  let held: string[] = []
  let depth = 0
  const writeLine = (line: string, joined: string[]): void => {
    let quotes = 0
    while (line.charCodeAt(quotes) === 0x3e) quotes++
    const content = line.slice(line.charCodeAt(quotes) === 0x20 ? quotes + 1 : quotes)
    // A signature separator is never flowed, nor joined to the line before it.
    const isSeparator = content === '-- '
    if (open && (quotes !== depth || isSeparator)) joined.push('\n')
    if (!open || quotes !== depth || isSeparator) joined.push(quotes > 0 ? `${'>'.repeat(quotes)} ` : '')
    depth = quotes
    open = content.endsWith(' ') && !isSeparator
    joined.push(open && deletesSpaces ? content.slice(0, -1) : content)
    if (!open) joined.push('\n')
  }
  return {
    write(text) {
      const end = text.lastIndexOf('\n')
      if (end === -1) {
        held.push(text)
        return ''
      }
      const joined: string[] = []
      for (const line of (held.join('') + text.slice(0, end)).split('\n')) writeLine(line, joined)
      held = [text.slice(end + 1)]
      return joined.join('')
    },
    end() {
      const last = held.join('')
      if (last === '') return open ? '\n' : ''
      const joined: string[] = []
      writeLine(last, joined)
      // It ends without a line end.
      if (!open) joined.pop()
      return joined.join('')
    },
  }
}
