/** Who said a line: the client or the server. */
type Speaker = 'C' | 'S'

/** Lines, each behind its {@link Speaker}: a pair of its own for each would cost more than most lines. */
export type Lines = readonly string[]

/** The lines of one transaction, with what opened its session before; kept while anybody may ask for it. */
export interface TransactionNotes {
  /** Shared by the transactions of a session: only so much of it is before this one. */
  readonly opening: Lines
  readonly openingLength: number
  readonly head: Lines
  /** The last lines, where there were too many; with how many are left out before them. */
  readonly tail: Lines
  leftOut: number
}

/**
 * Notes what is said in one SMTP session, at the least cost. Credentials are never noted. At most 4 KB are held for a
 * transaction.
 */
export class SessionNotes {
  readonly #opening: string[] = []
  #openingSize = 0
  #isOpening = true
  #current: (TransactionNotes & { head: string[]; tail: string[] }) | null = null

  /** The transaction that is under way. */
  get current(): TransactionNotes | null {
    return this.#current
  }

  /** @param isSecret  Whether it answers a challenge of AUTH. */
  client(line: string, isSecret: boolean): void {
    if (isSecret) return this.#note('C', '***')
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'MAIL') {
      const { length } = this.#opening
      this.#current = { opening: this.#opening, openingLength: length, head: [], tail: [], leftOut: 0 }
    } else if (openingVerbs.has(verb)) {
      // A greeting in the middle gives the transaction up.
      this.#current = null
      this.#isOpening = true
    } else if (!this.#current) {
      this.#isOpening = false
    }
    this.#note('C', verb === 'AUTH' ? withoutSecret(line) : line)
  }

  /** @param lines  Of one reply, each whole. */
  server(lines: readonly string[]): void {
    for (const line of lines) this.#note('S', line)
  }

  /** A transaction is over, its reply noted. */
  end(): void {
    if (this.#current) this.#isOpening = false
    this.#current = null
  }

  #note(speaker: Speaker, line: string): void {
    const cut = line.length > maxLine ? `${line.slice(0, maxLine)}…` : line
    const current = this.#current
    if (!current) {
      if (!this.#isOpening || this.#openingSize > maxOpening) return
      this.#openingSize += cut.length
      this.#opening.push(speaker, cut)
    } else if (current.head.length < 2 * maxHeadLines) {
      current.head.push(speaker, cut)
    } else {
      current.tail.push(speaker, cut)
      if (current.tail.length <= 2 * maxTailLines) return
      current.tail.splice(0, 2)
      current.leftOut++
    }
  }
}

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
