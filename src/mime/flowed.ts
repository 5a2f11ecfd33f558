/** Joins the lines of a text in format=flowed, which may come in pieces. @see RFC 3676 section 4 */
export class FlowedJoiner {
  readonly #deletesSpaces: boolean
  /** The pieces of a line whose end is still to come. */
  #held: string[] = []
  /** Whether the last line continues in the next one, and its depth of quotes. */
  #isOpen = false
  #depth = 0

  /** @param deletesSpaces  Whether the space at the end of a joined line goes (`DelSp=yes`). */
  constructor(deletesSpaces: boolean) {
    this.#deletesSpaces = deletesSpaces
  }

  /**
   * @param text  Lines that end with LF; a piece may end anywhere.
   * @returns The text that is joined so far.
   */
  write(text: string): string {
    const end = text.lastIndexOf('\n')
    if (end === -1) {
      this.#held.push(text)
      return ''
    }
    const joined: string[] = []
    for (const line of (this.#held.join('') + text.slice(0, end)).split('\n')) this.#join(line, joined)
    this.#held = [text.slice(end + 1)]
    return joined.join('')
  }

  end(): string {
    const last = this.#held.join('')
    if (last === '') return this.#isOpen ? '\n' : ''
    const joined: string[] = []
    this.#join(last, joined)
    // It ends without a line end.
    if (!this.#isOpen) joined.pop()
    return joined.join('')
  }

  #join(line: string, joined: string[]): void {
    let depth = 0
    while (line.charCodeAt(depth) === 0x3e) depth++
    const content = line.slice(line.charCodeAt(depth) === 0x20 ? depth + 1 : depth)
    // A signature separator is never flowed, nor joined to the line before it.
    const isSeparator = content === '-- '
    const continues = this.#isOpen && depth === this.#depth && !isSeparator
    if (this.#isOpen && !continues) joined.push('\n')
    if (!continues) joined.push(depth > 0 ? `${'>'.repeat(depth)} ` : '')
    this.#depth = depth
    this.#isOpen = content.endsWith(' ') && !isSeparator
    joined.push(this.#isOpen && this.#deletesSpaces ? content.slice(0, -1) : content)
    if (!this.#isOpen) joined.push('\n')
  }
}
