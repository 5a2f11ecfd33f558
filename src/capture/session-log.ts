import type { Clock } from '../core/clock.ts'
import { isId, type Ids } from '../core/ids.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import { givenCursor, type ListPage, type ListQuery } from '../core/lists.ts'
import type { TranscriptLine } from '../inbox/types.ts'
import type { SmtpSession, SmtpSessionSummary } from '../inbox/smtp-session-types.ts'
import type { ClientFault } from './client-faults.ts'
import { problemsOf } from './session-problems.ts'
import { toTranscript, type SessionNotes } from './transcript.ts'

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
  /** Newest first. @throws invalid_cursor */
  list(query?: SmtpSessionQuery): Promise<ListPage<SmtpSessionSummary>>
  /** @throws not_found */
  get(id: string): Promise<SmtpSession>
  /** Removes the sessions that ended; open sessions stay. */
  clear(): Promise<void>
}

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
  /** See {@link SessionLog.onEnded}; only if other instances keep theirs here too. */
  onForeign?: SessionLog['onEnded']
}

/** Why a session is kept: it brought mail without a problem, something went wrong, or the client sent nothing. */
export type SessionKind = 'fine' | 'failed' | 'silent'

/** How many sessions of a kind are kept. */
export const mostSessions: Readonly<Record<SessionKind, number>> = { fine: 500, failed: 500, silent: 50 }

/** @param kept  Default: in memory. */
export function createSessionLog({
  clock,
  ids,
  kept = keptInMemory(clock),
}: {
  clock: Clock
  ids: Ids
  kept?: KeptSessions | undefined
}): SessionLog {
  const open = new Map<ObservedSession, Begun>()
  let listener: Parameters<SessionLog['onEnded']>[0] = () => {}
  const running = (): LoggedSession[] => [...open].map(([session, begun]) => toLogged(session, begun, null))

  return {
    begin(session) {
      open.set(session, { id: ids.next('ses'), started: clock.now() })
    },
    end(session) {
      const begun = open.get(session)
      if (!begun) return
      open.delete(session)
      const ended = toLogged(session, begun, clock.now())
      const { refusals, cutBy, command } = ended.notes
      const isFine = ended.message_count > 0 && refusals.length === 0 && cutBy === null
      const hasWords = command !== '' || refusals.length > 0 || ended.fault !== null || cutBy !== null
      kept.add(isFine ? 'fine' : hasWords ? 'failed' : 'silent', ended)
      listener(() => toSummary(ended))
    },
    leave(session) {
      open.delete(session)
    },
    onEnded(given, isWanted) {
      listener = given
      kept.onForeign?.(given, isWanted)
    },
    async list(query) {
      const cursor = sessionCursor(query)
      const { failed = false, limit = 50 } = query ?? {}
      const page = await kept.page({ failed, cursor, limit })
      const begun = running().map(toSummary).filter(matching(failed))
      const all = [...begun.filter(after(cursor)), ...page.items].sort(newestFirst)
      const items = all.slice(0, limit)
      const last = page.more || items.length < all.length ? items.at(-1) : undefined
      return { items, count: page.count + begun.length, cursor: last?.id ?? null }
    },
    async get(id) {
      const begun = running().find((session) => session.id === id)
      const session = begun ? toSession(begun) : await kept.get(id)
      if (session) return session
      throw new LocalpostError('not_found', `There is no SMTP session ${quote(id)}, or it is no longer kept.`)
    },
    clear: () => kept.clear(),
  }
}

function keptInMemory(clock: Clock): KeptSessions {
  const rings = {
    fine: createRing(mostSessions.fine),
    failed: createRing(mostSessions.failed),
    silent: createRing(mostSessions.silent),
  }
  const all = (): LoggedSession[] =>
    Object.values(rings).flatMap((ring) => ring.since(clock.now() - maxAgeMs))
  return {
    add: (kind, session) => rings[kind].put(session),
    async page({ failed, cursor, limit }) {
      const chosen = all().map(toSummary).filter(matching(failed)).sort(newestFirst)
      const rest = chosen.filter(after(cursor))
      return { items: rest.slice(0, limit), count: chosen.length, more: rest.length > limit }
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

const matching =
  (failed: boolean) =>
  ({ problems }: SmtpSessionSummary): boolean =>
    !failed || problems.length > 0
const after =
  (cursor: string | undefined) =>
  ({ id }: SmtpSessionSummary): boolean =>
    cursor === undefined || id < cursor
const newestFirst = (one: SmtpSessionSummary, other: SmtpSessionSummary): number =>
  one.id < other.id ? 1 : -1

/** @throws invalid_cursor */
function sessionCursor(query: SmtpSessionQuery | undefined): string | undefined {
  const cursor = givenCursor(query)
  if (cursor === undefined || isId('ses', cursor)) return cursor
  throw new LocalpostError(
    'invalid_cursor',
    `${quote(cursor)} is not a cursor of this list: here it is the id of an SMTP session.`,
  )
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

/** A session as it was when it ended; if `ended` is null, as it is now. */
export interface LoggedSession extends Begun, SessionState {
  readonly ended: number | null
  readonly notes: SessionNotes
}

// Copies the facts, because keeping the session would keep its socket in memory.
function toLogged(session: ObservedSession, { id, started }: Begun, ended: number | null): LoggedSession {
  return { id, started, ended, ...session.state(), notes: session.notes }
}

function toSummary(session: LoggedSession): SmtpSessionSummary {
  const { transcript: _, ...summary } = toSession(session)
  return summary
}

export function toSession(session: LoggedSession): SmtpSession {
  const { id, started, ended, remote_address, client_name, user, secure, message_count } = session
  const transcript = toTranscript(session.notes.all(), '<message>')
  const problems = problemsOf({ ...session, isOpen: ended === null })
  const facts = { id, started, ended, remote_address, client_name, user, secure, message_count }
  return { ...facts, ...envelopeOf(transcript), problems, transcript }
}

/** Who the mails of a session are from and for, as far as its transcript is kept. */
export function envelopeOf(
  transcript: readonly TranscriptLine[],
): Pick<SmtpSessionSummary, 'mail_from' | 'rcpt_to' | 'email_ids'> {
  let mail_from: string | null = null
  let rcpt_to: string[] = []
  const email_ids: string[] = []
  for (const { from, text } of transcript) {
    const [, verb, address = ''] = (from === 'client' && addressed.exec(text)) || []
    if (verb?.toUpperCase() === 'MAIL FROM') [mail_from, rcpt_to] = [address, []]
    else if (verb) rcpt_to.push(address)
    const id = from === 'server' ? captured.exec(text)?.[1] : undefined
    if (id !== undefined) email_ids.push(id)
  }
  return { mail_from, rcpt_to, email_ids }
}

const addressed = /^(MAIL FROM|RCPT TO): ?<?([^>\s]*)/i
const captured = /^250 (?:\S+ )?OK: captured as (em_\w+)$/

/** Keeps the newest sessions, bounded in number and size. */
function createRing(most: number): {
  put(session: LoggedSession): void
  since(time: number): LoggedSession[]
  clear(): void
} {
  let kept: { session: LoggedSession; chars: number }[] = []
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
