/** How long the server waits for a client. */
export interface SmtpTimeouts {
  /** For a whole command, counted from the previous reply. Single octets do not extend it. */
  commandMs: number
  /** For {@link SmtpTimeouts.minDataBytes} of a message, or for a TLS handshake. */
  dataMs: number
  /** For the first byte at the port that begins with TLS: a client that sends none waits for a greeting in plain text. */
  helloMs: number
  /** The minimum number of bytes that must arrive in each `dataMs`; the end of the message may arrive at any time. */
  minDataBytes: number
  /** For a whole message, counted from the previous message or the start of the session, whatever else the client does. */
  messageMs: number
}

/** RFC 5321 section 4.5.3.2, which has no `messageMs`: an hour is more than a slow client needs. */
export const defaultSmtpTimeouts: SmtpTimeouts = {
  commandMs: 5 * 60 * 1000,
  dataMs: 3 * 60 * 1000,
  helloMs: 10_000,
  minDataBytes: 1024,
  messageMs: 60 * 60 * 1000,
}

/** What a connection does when it is checked. */
interface ClientActivity {
  /** Whether the server waits for the client. */
  isAwaited: boolean
  /** `data` also means a TLS handshake. */
  phase: 'command' | 'data'
  /** Octets received of the current message; 0 outside of a message. */
  dataBytes: number
}

/** How many commands a session may send without a message: several times as many as the largest envelope needs. */
export const maxWithoutMessage = 10_000
/** How often EHLO and MAIL may be repeated without a message before they no longer count as progress. */
const maxBegun = 100

/** The progress of a connection, checked at intervals: single octets and transactions begun again and again are none. */
export class Progress {
  #commands = 0
  #messages = 0
  #lastProgressAt: number
  /** Number of commands that made progress. */
  #useful = 0
  /** How many EHLO and MAIL were accepted since the last message, and how many commands had come when it was accepted. */
  #begun = 0
  #commandsBefore = 0
  /** At the last check that saw progress or a command. */
  #seen = { commands: 0, useful: 0, phase: 'command', dataBytes: 0 }
  /** The number of messages at the last check. */
  #seenMessages = 0
  /** Since when the server waits for the next command, of whatever kind, or for the next piece of a message. */
  #awaitedSince: number
  /** Since when it waits for a whole message. */
  #messageSince: number

  constructor(now: number) {
    this.#lastProgressAt = this.#awaitedSince = this.#messageSince = now
  }

  /** Number of commands received. */
  get commands(): number {
    return this.#commands
  }

  /** Number of messages accepted. */
  get messages(): number {
    return this.#messages
  }

  /** When the session last made progress: with a command that leads to a message, with data, or while the server worked. */
  get lastProgressAt(): number {
    return this.#lastProgressAt
  }

  /** Counts a command. @returns Whether more than {@link maxWithoutMessage} came since the last message. */
  countCommand(): boolean {
    return ++this.#commands - this.#commandsBefore > maxWithoutMessage
  }

  /** Counts a command that was accepted. @param name  In upper case. */
  acceptCommand(name: string): void {
    if (name === 'RCPT' || name === 'DATA') this.#useful++
    else if ((name === 'EHLO' || name === 'MAIL') && ++this.#begun <= maxBegun) this.#useful++
  }

  /** Counts a message that was accepted. */
  acceptMessage(): void {
    this.#messages++
    this.#begun = 0
    this.#commandsBefore = this.#commands
  }

  /** Notes what the client has done since the last check. @returns Why it took too long, for the reply; else null. */
  check(activity: ClientActivity, now: number, limits: SmtpTimeouts): string | null {
    const { isAwaited, phase } = activity
    if (this.#messages !== this.#seenMessages) {
      this.#seenMessages = this.#messages
      this.#messageSince = now
    } else if (isAwaited && now - this.#messageSince >= limits.messageMs) {
      return `No message came within ${inSeconds(limits.messageMs)}`
    }
    if (this.#note(activity, now, limits.minDataBytes)) return null
    const waitedMs = now - this.#awaitedSince
    if (phase === 'command') {
      return waitedMs < limits.commandMs ? null : `No command came within ${inSeconds(limits.commandMs)}`
    }
    return waitedMs < limits.dataMs ? null : `Too little came within ${inSeconds(limits.dataMs)}`
  }

  /** @returns Whether there was progress, or at least a command. Otherwise data adds up until the next check. */
  #note({ isAwaited, phase, dataBytes }: ClientActivity, now: number, minDataBytes: number): boolean {
    const seen = this.#seen
    const hasData = dataBytes < seen.dataBytes || dataBytes - seen.dataBytes >= minDataBytes
    const hasWorked = !isAwaited || this.#useful !== seen.useful || phase !== seen.phase || hasData
    if (hasWorked) this.#lastProgressAt = now
    if (!hasWorked && this.#commands === seen.commands) return false
    this.#awaitedSince = now
    this.#seen = { commands: this.#commands, useful: this.#useful, phase, dataBytes }
    return true
  }
}

function inSeconds(ms: number): string {
  return `${ms / 1000} seconds`
}
