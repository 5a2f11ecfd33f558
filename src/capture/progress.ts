/** How long the server waits for a client. */
export interface Patience {
  /** For a whole command, counted from the previous reply. Single octets do not extend it. */
  commandMs: number
  /** For {@link Patience.dataBytes} of a message, or for a TLS handshake. */
  dataMs: number
  /** The minimum number of bytes that must arrive in each `dataMs`; the end of the message may arrive at any time. */
  dataBytes: number
  /** For a whole message, counted from the previous message or the start of the session, whatever else the client does. */
  messageMs: number
}

/**
 * RFC 5321 section 4.5.3.2: five minutes for a command, three for a piece of a message. The RFC has no limit for a
 * session that never submits a message; an hour is more than a slow client needs.
 */
export const defaultPatience: Patience = {
  commandMs: 5 * 60 * 1000,
  dataMs: 3 * 60 * 1000,
  dataBytes: 1024,
  messageMs: 60 * 60 * 1000,
}

/** The state of a connection when it is checked. */
export interface Activity {
  /** Whether the server waits for the client. */
  isAwaited: boolean
  /** Number of commands received, and number of those that made progress. */
  commands: number
  useful: number
  /** Number of accepted messages. */
  messages: number
  /** `data` also means a TLS handshake. */
  phase: 'command' | 'data'
  /** Octets received of the current message; 0 outside of a message. */
  dataBytes: number
}

/**
 * Tracks the progress of a connection by checking it at intervals. The cost does not depend on what the client sends, and
 * a client that sends single octets slowly makes no progress.
 */
export class Progress {
  /** When the session last made progress. */
  workedAt: number
  #awaitedSince: number
  #seen: Activity = { isAwaited: true, commands: 0, useful: 0, messages: 0, phase: 'command', dataBytes: 0 }
  #messages = 0
  #withoutSince: number

  constructor(now: number) {
    this.workedAt = now
    this.#awaitedSince = now
    this.#withoutSince = now
  }

  /** @returns Why the client took too long, as text for the reply; null if it did not. */
  look(activity: Activity, now: number, patience: Patience): string | null {
    const { isAwaited, commands, useful, messages, phase, dataBytes } = activity
    if (messages !== this.#messages) {
      this.#messages = messages
      this.#withoutSince = now
    } else if (isAwaited && now - this.#withoutSince >= patience.messageMs) {
      return `No message came within ${inSeconds(patience.messageMs)}`
    }
    const seen = this.#seen
    const hasData = dataBytes < seen.dataBytes || dataBytes - seen.dataBytes >= patience.dataBytes
    const hasWorked = useful !== seen.useful || phase !== seen.phase || hasData
    if (hasWorked || !isAwaited) this.workedAt = now
    if (hasWorked || !isAwaited || commands !== seen.commands) {
      this.#awaitedSince = now
      this.#seen = { ...activity }
      return null
    }
    const waitedMs = now - this.#awaitedSince
    if (phase === 'command') {
      return waitedMs < patience.commandMs ? null : `No command came within ${inSeconds(patience.commandMs)}`
    }
    return waitedMs < patience.dataMs ? null : `Too little came within ${inSeconds(patience.dataMs)}`
  }
}

function inSeconds(ms: number): string {
  return `${ms / 1000} seconds`
}
