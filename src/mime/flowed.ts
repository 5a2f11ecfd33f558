/** Joins the lines of a text in format=flowed, which may come in pieces. */
export interface FlowedJoiner {
  /**
   * @param text  Whole lines that end with LF; the last piece may lack its line end.
   * @returns What is joined so far.
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
  let hasLineEnd = true
  let depth = 0
  const writeLine = (line: string, joined: string[]): void => {
    let quotes = 0
    while (line.charCodeAt(quotes) === 0x3e) quotes++
    const content = line.slice(line.charCodeAt(quotes) === 0x20 ? quotes + 1 : quotes)
    // A signature separator is never flowed, nor joined to what is before it.
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
      const joined: string[] = []
      const lines = text.split('\n')
      const last = lines.pop() ?? ''
      for (const line of lines) writeLine(line, joined)
      hasLineEnd = last === ''
      if (!hasLineEnd) {
        writeLine(last, joined)
        // It has no line end of its own.
        if (!open) joined.pop()
      }
      return joined.join('')
    },
    end: () => (open && hasLineEnd ? '\n' : ''),
  }
}
