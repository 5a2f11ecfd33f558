import { cutText } from '../core/text.ts'
import type { SmtpProblemKind } from '../inbox/smtp-session-types.ts'
import type { TranscriptLine } from '../inbox/types.ts'

/** The sender of a line: the client or the server. */
type Speaker = 'C' | 'S'

/** Alternates {@link Speaker} and line. One flat list takes less memory than an object per line. */
export type Lines = readonly string[]

/** The lines of one transaction, and those that opened its session. */
export interface TransactionNotes {
  /** Shared by all transactions of a session. Only the first `openingLength` entries precede this transaction. */
  readonly opening: Lines
  readonly openingLength: number
  /** Of a long transaction, the first and the last lines. */
  readonly lines: string[]
  /** How many lines are missing after the first ones. */
  leftOut: number
  /** The last lines between this transaction and the next one; null if there are none. */
  after: string[] | null
  /** Whether one of its commands was refused. */
  isRefused: boolean
}

/** A reply of 400 or more. */
export interface RefusedCommand {
  /** As it is in the transcript; `""` if the reply answers no command. */
  readonly command: string
  readonly code: number
  /** The first line of the reply. */
  readonly reply: string
  /** As the code that refused it has set it. Null: the command and the code of the reply tell it. */
  readonly problem: SmtpProblemKind | null
}

/**
 * Records a session without its credentials: up to 4 KB of each of the last ten transactions, refused ones first.
 *
 * A line belongs to the opening (from the greeting, EHLO, STARTTLS or AUTH up to another command), to a transaction (from
 * MAIL up to `endTransaction`, which follows its last reply), or to neither: then to what came after the last transaction,
 * or before the first one. Each line is passed on when it is read or sent, so a reply comes after its command.
 */
export class SessionNotes {
  readonly #opening: string[] = []
  #openingSize = 0
  #isOpening = true
  #current: TransactionNotes | null = null
  #last: TransactionNotes | null = null
  #command = ''
  /** Lines outside of a transaction, before the first one. */
  readonly #before: string[] = []
  readonly #transactions: TransactionNotes[] = []
  #transactionsLeftOut = 0
  #expected: SmtpProblemKind | null = null
  /** The first refused commands, and the last one. */
  readonly refusals: RefusedCommand[] = []
  /** The reason why a fault or a rule closed the connection. */
  cutBy: 'fault' | 'rule' | null = null

  /** The current transaction. */
  get current(): TransactionNotes | null {
    return this.#current
  }

  /** The last command; `""` before the first one. */
  get command(): string {
    return this.#command
  }

  /** All lines that are kept, in their order. A line in angle brackets replaces omitted text. */
  all(): string[] {
    const lines = [...this.#opening, ...this.#before]
    if (this.#transactionsLeftOut > 0)
      lines.push('C', `<${this.#transactionsLeftOut} transactions are left out>`)
    for (const one of this.#transactions) lines.push(...linesOfTransaction(one), ...(one.after ?? []))
    return lines
  }

  /** Sets the problem of the next refusal. */
  expect(problem: SmtpProblemKind): void {
    this.#expected = problem
  }

  /** @param reply  The first line of a reply of 400 or more. */
  noteRefusal(code: number, reply: string): RefusedCommand {
    if (this.#current) this.#current.isRefused = true
    const refusal = { command: this.#command, code, reply: cut(reply), problem: this.#expected }
    // The last refusal is kept too, because it may be the reason why the session ended.
    this.refusals[Math.min(this.refusals.length, maxRefusals - 1)] = refusal
    this.#expected = null
    return refusal
  }

  /** @param isSecret  Whether the line answers an AUTH challenge. */
  noteCommand(line: string, isSecret: boolean): void {
    if (isSecret) return this.#note('C', '***')
    this.#expected = null
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'MAIL') {
      this.#begin()
    } else if (openingVerbs.has(verb)) {
      // EHLO within a transaction aborts it.
      this.#current = null
      this.#isOpening = true
    } else if (!this.#current) {
      this.#isOpening = false
    }
    this.#command = cut(verb === 'AUTH' ? withoutSecret(line) : line)
    this.#note('C', this.#command)
  }

  #begin(): void {
    const opening = this.#opening
    const openingLength = opening.length
    const transaction = { opening, openingLength, lines: [], leftOut: 0, after: null, isRefused: false }
    this.#current = this.#last = transaction
    this.#transactions.push(transaction)
    if (this.#transactions.length <= maxTransactions) return
    const accepted = this.#transactions.findIndex(({ isRefused }) => !isRefused)
    // The newest one is still running.
    this.#transactions.splice(accepted === maxTransactions ? 0 : accepted, 1)
    this.#transactionsLeftOut++
  }

  /** @param lines  The complete lines of one reply. */
  noteReply(lines: readonly string[]): void {
    for (const line of lines) this.#note('S', line)
  }

  /** Call it when a transaction is over, after its reply. */
  endTransaction(): void {
    if (this.#current) this.#isOpening = false
    this.#current = null
  }

  #note(speaker: Speaker, line: string): void {
    const text = cut(line)
    const current = this.#current
    if (!current) {
      if (!this.#isOpening) return this.#noteOutside(speaker, text)
      if (this.#openingSize > maxOpening) return
      this.#openingSize += text.length
      this.#opening.push(speaker, text)
    } else {
      current.lines.push(speaker, text)
      if (current.lines.length <= 2 * (maxFirstLines + maxLastLines)) return
      current.lines.splice(2 * maxFirstLines, 2)
      current.leftOut++
    }
  }

  #noteOutside(speaker: Speaker, text: string): void {
    const lines = this.#last ? (this.#last.after ??= []) : this.#before
    lines.push(speaker, text)
    if (lines.length > 2 * maxOutsideLines) lines.splice(0, 2)
  }
}

function cut(line: string): string {
  return line.length > maxLine ? `${cutText(line, maxLine)}…` : line
}

function withoutSecret(line: string): string {
  const [verb = '', mechanism, ...secret] = line.split(/\s+/)
  if (mechanism === undefined) return verb
  return secret.length > 0 ? `${verb} ${mechanism} ***` : `${verb} ${mechanism}`
}

/** The lines of a transaction, without those that opened its session. */
export function linesOfTransaction({ lines, leftOut }: TransactionNotes): string[] {
  const gap = leftOut > 0 ? ['C', `<${leftOut} lines are left out>`] : []
  return lines.toSpliced(2 * maxFirstLines, 0, ...gap)
}

/** The lines as they are answered. @param message  The line that replaces the message, after each reply to DATA. */
export function toTranscript(lines: readonly string[], message: string): TranscriptLine[] {
  const said: TranscriptLine[] = []
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const from = lines[i] === 'C' ? 'client' : 'server'
    const text = lines[i + 1] ?? ''
    said.push({ from, text })
    // After the 354 reply the client sends the message.
    if (from === 'server' && text.startsWith('354 ')) said.push({ from: 'client', text: message })
  }
  return said
}

/** The first four letters: `STAR` is STARTTLS. */
const openingVerbs = new Set(['EHLO', 'HELO', 'STAR', 'AUTH'])
/** The longest line that is kept whole, and the text that opens a session, in characters. */
const maxLine = 200
const maxOpening = 1000
/** How many lines of a transaction are kept, and how many between two of them. */
const maxFirstLines = 8
const maxLastLines = 5
const maxOutsideLines = 10
const maxTransactions = 10
const maxRefusals = 20
