import type { Clock } from '../core/clock.ts'
import { isId, type Ids } from '../core/ids.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { defaultPageSize, givenCursor, type ListPage, type ListQuery } from '../core/lists.ts'
import type { SmtpSession, SmtpSessionSummary } from '../inbox/smtp-session-types.ts'
import {
  type ObservedSession,
  type Begun,
  type LoggedSession,
  toLogged,
  toSessionSummary,
  toSession,
} from './logged-session.ts'
import { keptInMemory, newestFirst, type KeptSessions, type SetEndedListener } from './kept-sessions.ts'

/** The requested part of the list of sessions. */
export interface SmtpSessionQuery extends ListQuery {
  /** Only sessions in which something went wrong. */
  failed?: boolean
}

/**
 * The sessions of apps: open ones, the last 500 without a problem, the last 500 with one, and the last 50 in which the
 * client sent nothing. They are kept for at most a day: in memory, with at most 2 MB of each kind; or, where instances
 * share a store, in that store.
 */
export interface SessionLog {
  /** Called when a client connects. */
  begin(session: ObservedSession): void
  /** Called when its socket is closed. */
  end(session: ObservedSession): void
  /** Forgets a session that continues in the log of another account. */
  leave(session: ObservedSession): void
  onEnded: SetEndedListener
  /** Newest first. @throws invalid_cursor */
  list(query?: SmtpSessionQuery): Promise<ListPage<SmtpSessionSummary>>
  /** @throws not_found */
  get(id: string): Promise<SmtpSession>
  /** Removes the sessions that ended; open sessions stay. */
  clear(): Promise<void>
}

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
  let listener: Parameters<SetEndedListener>[0] = () => {}
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
      const isSilent = command === '' && refusals.length === 0 && ended.fault === null && cutBy === null
      kept.add(isFine ? 'fine' : isSilent ? 'silent' : 'failed', ended)
      listener(() => toSessionSummary(ended))
    },
    leave(session) {
      open.delete(session)
    },
    onEnded(given, isWanted) {
      listener = given
      const stopForeign = kept.setForeignListener?.(given, isWanted)
      return () => {
        listener = () => {}
        stopForeign?.()
      }
    },
    async list(query) {
      const cursor = givenCursor(query)
      if (cursor !== undefined && !isId('ses', cursor)) {
        const message = `${quote(cursor)} is not a cursor of this list: here it is the id of an SMTP session.`
        throw new LocalpostError('invalid_cursor', message)
      }
      const { failed = false, limit = defaultPageSize } = query ?? {}
      const page = await kept.page({ failed, cursor, limit })
      const begun = running()
        .map(toSessionSummary)
        .filter(({ problems }) => !failed || problems.length > 0)
      const later = begun.filter(({ id }) => cursor === undefined || id < cursor)
      const all = [...later, ...page.items].sort(newestFirst)
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
