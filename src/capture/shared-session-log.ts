import type { Clock } from '../core/clock.ts'
import type { Ids } from '../core/ids.ts'
import type { SmtpSession, SmtpSessionSummary } from '../inbox/types.ts'
import { createSharedLog } from '../store/shared-log.ts'
import { type Collection, remove, type Store, type StoredRecord } from '../store/store.ts'
import {
  createSessionLog,
  maxAgeMs,
  mostSessions,
  noSession,
  sessionCursor,
  type SessionKind,
  type SessionLog,
} from './session-log.ts'

interface SessionRecord extends StoredRecord, SmtpSession {
  kind: SessionKind
  has_problems: boolean
}

export const smtpSessionCollection: Collection<SessionRecord> = {
  name: 'smtp_sessions',
  indexes: { kind: { on: ['kind', 'id'] } },
}

/** A {@link SessionLog} of all instances that share a store. Of open sessions, it has only those of this instance. */
export function createSharedSessionLog({
  store,
  clock,
  ids,
}: {
  store: Store
  clock: Clock
  ids: Ids
}): SessionLog {
  let listener: Parameters<SessionLog['onEnded']>[0] = () => {}
  let isWanted = (): boolean => false
  const log = createSharedLog({
    store,
    collection: smtpSessionCollection,
    limits: Object.entries(mostSessions).map(([kind, most]) => ({ index: 'kind', prefix: [kind], most })),
    onForeign(id) {
      if (isWanted()) void tell(id).catch(() => {})
    },
  })
  const open = createSessionLog({
    clock,
    ids,
    keep: (kind, session) => log.add(() => ({ ...session, kind, has_problems: session.problems.length > 0 })),
  })

  async function tell(id: string): Promise<void> {
    const record = await store.get(smtpSessionCollection, id)
    if (record) listener(() => toSummary(record))
  }

  async function removeOld(): Promise<void> {
    const oldest = clock.now() - maxAgeMs
    for (;;) {
      const { records } = await store.page(smtpSessionCollection, { limit: 100 })
      const old = records.filter(({ ended }) => (ended ?? oldest) < oldest)
      if (old.length > 0) await store.commit(old.map(({ id }) => remove(smtpSessionCollection, id)))
      if (old.length < 100) return
    }
  }

  return {
    begin: open.begin,
    end: open.end,
    leave: open.leave,
    onEnded(given, wanted = () => false) {
      listener = given
      isWanted = wanted
      open.onEnded(given)
    },
    async list(query) {
      const cursor = sessionCursor(query)
      const { failed = false, limit = 50 } = query ?? {}
      await log.stored()
      await removeOld()
      const where = failed ? { member: 'has_problems', equals: true } : undefined
      const [page, count] = await Promise.all([
        store.page(smtpSessionCollection, {
          direction: 'desc',
          limit,
          where,
          after: cursor === undefined ? undefined : [cursor],
        }),
        store.count(smtpSessionCollection, { where }),
      ])
      const running = open.list({ failed, limit: Number.POSITIVE_INFINITY }).items
      const all = [
        ...running.filter(({ id }) => cursor === undefined || id < cursor),
        ...page.records.map(toSummary),
      ].sort((one, other) => (one.id < other.id ? 1 : -1))
      const items = all.slice(0, limit)
      const last = page.more || items.length < all.length ? items.at(-1) : undefined
      return { items, count: count + running.length, cursor: last?.id ?? null }
    },
    async get(id) {
      const running = open
        .list({ limit: Number.POSITIVE_INFINITY })
        .items.some((session) => session.id === id)
      if (running) return open.get(id)
      const record = await store.get(smtpSessionCollection, id)
      if (!record) throw noSession(id)
      const { version: _, kind: _kind, has_problems: _has, ...session } = record
      return session
    },
    clear: () => log.clear(),
  }
}

function toSummary(session: SmtpSession): SmtpSessionSummary {
  const { id, started, ended, remote_address, client_name, user, secure, message_count, problems } = session
  return { id, started, ended, remote_address, client_name, user, secure, message_count, problems }
}
