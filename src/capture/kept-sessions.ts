import type { Clock } from '../core/clock.ts'
import type { SmtpSession, SmtpSessionSummary } from '../inbox/smtp-session-types.ts'
import { type LoggedSession, toSession, toSessionSummary } from './logged-session.ts'

/** Where the sessions that ended are kept. */
export interface KeptSessions {
  add(kind: SessionKind, session: LoggedSession): void
  /** Newest first, after the cursor. `count` is how many there are on all pages. */
  page(query: { failed: boolean; cursor: string | undefined; limit: number }): Promise<{
    items: SmtpSessionSummary[]
    count: number
    more: boolean
  }>
  get(id: string): Promise<SmtpSession | null>
  clear(): Promise<void>
  /** Sets the listener for sessions that ended at other instances; absent if it does not keep those. */
  setForeignListener?: SetEndedListener
}

/**
 * Sets the listener for ended sessions, in place of an earlier one.
 *
 * @param isWanted  Asked for each session of another instance, which has to be read from the store: if it returns false, the
 *   session is not read, and the listener not called. Default: it returns false.
 * @returns A function that ends this.
 */
export type SetEndedListener = (
  listener: (session: () => SmtpSessionSummary) => void,
  isWanted?: () => boolean,
) => () => void

/** Why a session is kept: it brought mail without a problem, something went wrong, or the client sent nothing. */
export type SessionKind = 'fine' | 'failed' | 'silent'

/** How many sessions of a kind are kept. */
export const maxOfKind: Readonly<Record<SessionKind, number>> = { fine: 500, failed: 500, silent: 50 }

/** Keeps sessions in the memory of this process, at most 2 MB of each kind: a line has a byte for each character. */
export function keptInMemory(clock: Clock): KeptSessions {
  const rings = {
    fine: createRing(maxOfKind.fine),
    failed: createRing(maxOfKind.failed),
    silent: createRing(maxOfKind.silent),
  }
  const all = (): LoggedSession[] =>
    Object.values(rings).flatMap((ring) => {
      ring.dropBefore(clock.now() - maxAgeMs)
      return ring.sessions()
    })
  return {
    add: (kind, session) => rings[kind].put(session),
    async page({ failed, cursor, limit }) {
      const listed = all()
        .map(toSessionSummary)
        .filter(({ problems }) => !failed || problems.length > 0)
      const rest = listed.sort(newestFirst).filter(({ id }) => cursor === undefined || id < cursor)
      return { items: rest.slice(0, limit), count: listed.length, more: rest.length > limit }
    },
    async get(id) {
      const found = all().find((session) => session.id === id)
      return found ? toSession(found) : null
    },
    async clear() {
      for (const ring of Object.values(rings)) ring.clear()
    },
  }
}

export const newestFirst = (one: SmtpSessionSummary, other: SmtpSessionSummary): number =>
  one.id < other.id ? 1 : -1

/** How long a session is kept. */
export const maxAgeMs: number = 24 * 60 * 60 * 1000
/** How many characters the lines of all sessions of a kind have. */
const maxChars = 2_000_000
/** The cost of a line beyond its characters, in characters. */
const lineOverhead = 24

/** Keeps the newest sessions, at most `limit` with together `maxChars`. */
function createRing(limit: number): {
  put(session: LoggedSession): void
  /** Drops the sessions that ended before a time. */
  dropBefore(time: number): void
  sessions(): LoggedSession[]
  clear(): void
} {
  let kept: { session: LoggedSession; chars: number }[] = []
  let chars = 0
  return {
    put(session) {
      const size = session.notes.all().reduce((sum, line) => sum + line.length + lineOverhead, 0)
      kept.push({ session, chars: size })
      chars += size
      while (kept.length > limit || chars > maxChars) chars -= kept.shift()?.chars ?? 0
    },
    dropBefore(time) {
      kept = kept.filter(({ session }) => (session.ended ?? time) >= time)
      chars = kept.reduce((sum, one) => sum + one.chars, 0)
    },
    sessions: () => kept.map(({ session }) => session),
    clear() {
      kept = []
      chars = 0
    },
  }
}
