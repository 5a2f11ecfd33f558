import type { Clock } from '../core/clock.ts'
import type { SmtpSession, SmtpSessionSummary } from '../inbox/smtp-session-types.ts'
import { createSharedLog } from '../store/shared-log.ts'
import { type Collection, remove, type Store, type StoredRecord } from '../store/store.ts'
import { transcribedEnvelope, toSession } from './logged-session.ts'
import {
  maxAgeMs,
  maxOfKind,
  type KeptSessions,
  type SessionKind,
  type SetEndedListener,
} from './kept-sessions.ts'

interface SmtpSessionRecord extends StoredRecord, SmtpSession {
  kind: SessionKind
  has_problems: boolean
}

export const smtpSessionCollection: Collection<SmtpSessionRecord> = {
  name: 'smtp_sessions',
  indexes: { kind: { on: ['kind', 'id'] } },
}

/** Keeps the sessions of all instances that share a store. */
export function keptInStore(store: Store, clock: Clock): KeptSessions {
  let listener: Parameters<SetEndedListener>[0] = () => {}
  let isWanted = (): boolean => false
  const log = createSharedLog({
    store,
    collection: smtpSessionCollection,
    limits: Object.entries(maxOfKind).map(([kind, most]) => ({ index: 'kind', prefix: [kind], most })),
    onForeign(id) {
      if (isWanted()) void tell(id).catch(() => {})
    },
  })

  async function tell(id: string): Promise<void> {
    const record = await store.get(smtpSessionCollection, id)
    if (record) listener(() => summaryOfRecord(record))
  }

  async function removeOld(): Promise<void> {
    const oldest = clock.now() - maxAgeMs
    let old: SmtpSessionRecord[]
    do {
      const { records } = await store.page(smtpSessionCollection, { limit: removedAtOnce })
      old = records.filter(({ ended }) => (ended ?? oldest) < oldest)
      if (old.length > 0) await store.commit(old.map(({ id }) => remove(smtpSessionCollection, id)))
    } while (old.length === removedAtOnce)
  }

  return {
    add(kind, ended) {
      const session = toSession(ended)
      log.add(() => ({ ...session, kind, has_problems: session.problems.length > 0 }))
    },
    async page({ failed, cursor, limit }) {
      await log.stored()
      await removeOld()
      const where = failed ? { member: 'has_problems', equals: true } : undefined
      const after = cursor === undefined ? undefined : [cursor]
      const [{ records, more }, count] = await Promise.all([
        store.page(smtpSessionCollection, { direction: 'desc', limit, where, after }),
        store.count(smtpSessionCollection, { where }),
      ])
      return { items: records.map(summaryOfRecord), count, more }
    },
    async get(id) {
      const record = await store.get(smtpSessionCollection, id)
      return record ? withoutKind(record) : null
    },
    clear: () => log.clear(),
    setForeignListener(given, wanted = () => false) {
      listener = given
      isWanted = wanted
      return () => {
        listener = () => {}
        isWanted = () => false
      }
    },
  }
}

const removedAtOnce = 100

function summaryOfRecord(record: SmtpSessionRecord): SmtpSessionSummary {
  const { transcript: _, ...summary } = withoutKind(record)
  return summary
}

function withoutKind(record: SmtpSessionRecord): SmtpSession {
  const { version: _, kind: _kind, has_problems: _has, ...session } = record
  // Derived, also for what an earlier version stored.
  return { ...session, ...transcribedEnvelope(session.transcript) }
}
