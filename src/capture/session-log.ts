import type { Clock } from '../core/clock.ts'
import { isId, type Ids } from '../core/ids.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import { givenCursor, type ListPage, type ListQuery } from '../core/lists.ts'
import type { SmtpSession, SmtpSessionSummary } from '../inbox/types.ts'
import type { ClientFault } from './client-faults.ts'
import { problemsOf } from './session-problems.ts'
import type { SessionNotes } from './transcript.ts'
import { toTranscript } from './transcripts.ts'

/** The requested part of the list of sessions. */
export interface SmtpSessionQuery extends ListQuery {
  /** Only sessions in which something went wrong. */
  failed?: boolean
}

/** The parts of a connection that the log reads. */
export interface ObservedSession {
  readonly notes: SessionNotes
  /** The current facts about the client. */
  state(): SessionState
}

/** The facts about a client. */
export interface SessionState extends Pick<
  SmtpSessionSummary,
  'remote_address' | 'client_name' | 'user' | 'secure' | 'message_count'
> {
  fault: ClientFault | null
}

/**
 * The sessions of apps: open ones, the last 500 without a problem, the last 500 with one, and the last 50 in which the
 * client sent nothing. They are in memory, at most 2 MB of each kind, or in the store that instances share, for at most a day.
 */
export interface SessionLog {
  /** Called when a client connects. */
  begin(session: ObservedSession): void
  /** Called when its socket is closed. */
  end(session: ObservedSession): void
  /** Forgets a session that continues in the log of another account. */
  leave(session: ObservedSession): void
  /**
   * Sets the function that is called with each session that ended.
   *
   * @param isWanted  Whether to call it for sessions at other instances too, which costs a read each. Default: never.
   */
  onEnded(listener: (session: () => SmtpSessionSummary) => void, isWanted?: () => boolean): void
  /** Newest first. A promise if instances share a store. @throws invalid_cursor */
  list(query?: SmtpSessionQuery): ListPage<SmtpSessionSummary> | Promise<ListPage<SmtpSessionSummary>>
  /** A promise as for `list`. @throws not_found */
  get(id: string): SmtpSession | Promise<SmtpSession>
  /** Removes the sessions that ended; open sessions stay. */
  clear(): void | Promise<void>
}

/** The sessions that are in the memory of this instance. */
export interface SessionMemory extends SessionLog {
  list(query?: SmtpSessionQuery): ListPage<SmtpSessionSummary>
  get(id: string): SmtpSession
  clear(): void
}

/** Why a session is kept: it brought mail without a problem, something went wrong, or the client sent nothing. */
export type SessionKind = 'fine' | 'failed' | 'silent'

/** How many sessions of a kind are kept. */
export const mostSessions: Readonly<Record<SessionKind, number>> = { fine: 500, failed: 500, silent: 50 }

/**
 * @param deps.keep  Keeps the sessions that ended. Default: they are kept in memory.
 */
export function createSessionLog({
  clock,
  ids,
  keep,
}: {
  clock: Clock
  ids: Ids
  keep?: (kind: SessionKind, session: SmtpSession) => void
}): SessionMemory {
  const open = new Map<ObservedSession, Begun>()
  const rings = {
    fine: createRing(mostSessions.fine),
    failed: createRing(mostSessions.failed),
    silent: createRing(mostSessions.silent),
  }
  let listener: Parameters<SessionLog['onEnded']>[0] = () => {}

  function all(): Kept[] {
    const oldest = clock.now() - maxAgeMs
    const sessions = Object.values(rings).flatMap((ring) => ring.since(oldest))
    for (const [session, begun] of open) sessions.push(toKept(session, begun, null))
    return sessions.sort((one, other) => (one.id < other.id ? 1 : -1))
  }

  return {
    begin(session) {
      open.set(session, { id: ids.next('ses'), started: clock.now() })
    },
    end(session) {
      const begun = open.get(session)
      if (!begun) return
      open.delete(session)
      const kept = toKept(session, begun, clock.now())
      const { refusals, cutBy, command } = kept.notes
      const isFine = kept.message_count > 0 && refusals.length === 0 && cutBy === null
      const hasWords = command !== '' || refusals.length > 0 || kept.fault !== null || cutBy !== null
      const kind = isFine ? 'fine' : hasWords ? 'failed' : 'silent'
      if (keep) keep(kind, toSession(kept))
      else rings[kind].put(kept)
      listener(() => toSummary(kept))
    },
    leave(session) {
      open.delete(session)
    },
    onEnded(given) {
      listener = given
    },
    list(query) {
      const cursor = sessionCursor(query)
      const sessions = all().map(toSummary)
      const chosen = query?.failed ? sessions.filter(({ problems }) => problems.length > 0) : sessions
      const rest = cursor === undefined ? chosen : chosen.filter(({ id }) => id < cursor)
      const items = rest.slice(0, query?.limit ?? 50)
      const last = items.length < rest.length ? items.at(-1) : undefined
      return { items, count: chosen.length, cursor: last?.id ?? null }
    },
    get(id) {
      const kept = all().find((session) => session.id === id)
      if (!kept) throw noSession(id)
      return toSession(kept)
    },
    clear() {
      for (const ring of Object.values(rings)) ring.clear()
    },
  }
}

/** The cursor of a list of sessions. @throws invalid_cursor */
export function sessionCursor(query: SmtpSessionQuery | undefined): string | undefined {
  const cursor = givenCursor(query)
  if (cursor === undefined || isId('ses', cursor)) return cursor
  throw new LocalpostError(
    'invalid_cursor',
    `${quote(cursor)} is not a cursor of this list: here it is the id of an SMTP session.`,
  )
}

/** The error of an id that names no session. */
export function noSession(id: string): LocalpostError {
  return new LocalpostError('not_found', `There is no SMTP session ${quote(id)}, or it is no longer kept.`)
}

/** How long a session is kept. */
export const maxAgeMs: number = 24 * 60 * 60 * 1000
const maxChars = 2_000_000
/** The cost of a line beyond its characters. */
const lineOverhead = 24

interface Begun {
  readonly id: string
  readonly started: number
}

interface Kept extends Begun, SessionState {
  readonly ended: number | null
  readonly notes: SessionNotes
}

// Copies the facts, because keeping the session would keep its socket in memory.
function toKept(session: ObservedSession, { id, started }: Begun, ended: number | null): Kept {
  return { id, started, ended, ...session.state(), notes: session.notes }
}

function toSummary(kept: Kept): SmtpSessionSummary {
  const { id, started, ended, remote_address, client_name, user, secure, message_count } = kept
  const problems = problemsOf({ ...kept, isOpen: ended === null })
  return { id, started, ended, remote_address, client_name, user, secure, message_count, problems }
}

function toSession(kept: Kept): SmtpSession {
  const transcript = toTranscript(kept.notes.all(), '<message>')
  const email_ids = transcript.flatMap(({ from, text }) => {
    const id = from === 'server' ? captured.exec(text)?.[1] : undefined
    return id === undefined ? [] : [id]
  })
  return { ...toSummary(kept), email_ids, transcript }
}

const captured = /^250 (?:\S+ )?OK: captured as (em_\w+)$/

/** Keeps the newest sessions, bounded in number and size. */
function createRing(most: number): {
  put(session: Kept): void
  since(time: number): Kept[]
  clear(): void
} {
  let kept: { session: Kept; chars: number }[] = []
  let chars = 0
  return {
    put(session) {
      const size = session.notes.all().reduce((sum, line) => sum + line.length + lineOverhead, 0)
      kept.push({ session, chars: size })
      chars += size
      // Cut in large steps: shifting for every session would move all entries each time.
      if (kept.length < 2 * most && chars <= maxChars) return
      let start = Math.max(0, kept.length - most)
      chars = kept.slice(start).reduce((sum, one) => sum + one.chars, 0)
      for (; chars > maxChars / 2; start++) chars -= kept[start]?.chars ?? 0
      kept = kept.slice(start)
    },
    since(time) {
      kept = kept.filter(({ session }) => (session.ended ?? time) >= time)
      chars = kept.reduce((sum, one) => sum + one.chars, 0)
      return kept.slice(-most).map(({ session }) => session)
    },
    clear() {
      kept = []
      chars = 0
    },
  }
}
