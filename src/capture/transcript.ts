/** Who sent a line: the client or the server. */
type Speaker = 'C' | 'S'

/** Alternates {@link Speaker} and line. One flat list takes less memory than an object per line. */
export type Lines = readonly string[]

/** The lines of one transaction, and those that opened its session. */
export interface TransactionNotes {
  /** Shared by all transactions of a session. Only the first `openingLength` entries precede this transaction. */
  readonly opening: Lines
  readonly openingLength: number
  readonly head: Lines
  /** The last lines of a long transaction. `leftOut` lines between `head` and `tail` are missing. */
  readonly tail: Lines
  leftOut: number
}

/**
 * Records the lines of one SMTP session at low cost. Credentials are never recorded. A transaction takes at most 4 KB.
 */
export class SessionNotes {
  readonly #opening: string[] = []
  #openingSize = 0
  #isOpening = true
  #current: (TransactionNotes & { head: string[]; tail: string[] }) | null = null

  /** The current transaction. */
  get current(): TransactionNotes | null {
    return this.#current
  }

  /** @param isSecret  Whether the line answers an AUTH challenge. */
  client(line: string, isSecret: boolean): void {
    if (isSecret) return this.#note('C', '***')
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'MAIL') {
      const { length } = this.#opening
      this.#current = { opening: this.#opening, openingLength: length, head: [], tail: [], leftOut: 0 }
    } else if (openingVerbs.has(verb)) {
      // EHLO within a transaction aborts it.
      this.#current = null
      this.#isOpening = true
    } else if (!this.#current) {
      this.#isOpening = false
    }
    this.#note('C', verb === 'AUTH' ? withoutSecret(line) : line)
  }

  /** @param lines  The complete lines of one reply. */
  server(lines: readonly string[]): void {
    for (const line of lines) this.#note('S', line)
  }

  /** To be called when a transaction is over, after its reply. */
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
