/** The lines of one transaction, with what opened its session before; kept while anybody may ask for it. */
export interface TransactionNotes {
  /** Shared by the transactions of a session: only this many lines of it are before this one. */
  readonly opening: readonly string[]
  readonly openingLines: number
  readonly head: string[]
  /** The last lines, where there were too many; with how many are left out before them. */
  readonly tail: string[]
  leftOut: number
}

/**
 * Notes what is said in one SMTP session, at the least cost: a line is a text whose first character says who spoke,
 * `C` or `S`. Credentials are never noted. At most 4 KB are held for a transaction.
 */
export class SessionNotes {
  readonly #opening: string[] = []
  #openingLength = 0
  #isOpening = true
  #current: TransactionNotes | null = null

  /** The transaction that is under way. */
  get current(): TransactionNotes | null {
    return this.#current
  }

  /** @param isSecret  Whether it answers a challenge of AUTH. */
  client(line: string, isSecret: boolean): void {
    if (isSecret) return this.#note('C***')
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'MAIL') {
      const { length } = this.#opening
      this.#current = { opening: this.#opening, openingLines: length, head: [], tail: [], leftOut: 0 }
    } else if (openingVerbs.has(verb)) {
      // A greeting in the middle gives the transaction up.
      this.#current = null
      this.#isOpening = true
    } else if (!this.#current) {
      this.#isOpening = false
    }
    this.#note(verb === 'AUTH' ? `C${withoutSecret(line)}` : `C${line}`)
  }

  /** @param lines  Of one reply, each whole. */
  server(lines: readonly string[]): void {
    for (const line of lines) this.#note(`S${line}`)
  }

  /** A transaction is over, its reply noted. */
  end(): void {
    if (this.#current) this.#isOpening = false
    this.#current = null
  }

  #note(line: string): void {
    const cut = line.length > maxLine ? `${line.slice(0, maxLine)}…` : line
    const { head, tail } = this.#current ?? none
    if (!this.#current) {
      if (!this.#isOpening || this.#openingLength > maxOpening) return
      this.#openingLength += cut.length
      this.#opening.push(cut)
    } else if (head.length < maxHeadLines) {
      head.push(cut)
    } else {
      tail.push(cut)
      if (tail.length <= maxTailLines) return
      tail.shift()
      this.#current.leftOut++
    }
  }
}

const none: Pick<TransactionNotes, 'head' | 'tail'> = { head: [], tail: [] }
const openingVerbs = new Set(['EHLO', 'HELO', 'STAR', 'AUTH'])
const maxLine = 200
const maxOpening = 1000
const maxHeadLines = 8
const maxTailLines = 5

function withoutSecret(line: string): string {
  const [verb = '', mechanism, ...secret] = line.split(/\s+/)
  if (mechanism === undefined) return verb
  return secret.length > 0 ? `${verb} ${mechanism} ***` : `${verb} ${mechanism}`
}
