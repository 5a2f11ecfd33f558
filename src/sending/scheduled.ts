import type { Clock } from '../core/clock.ts'
import type { Complete } from '../core/complete.ts'
import { LocalpostError, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { isId } from '../core/ids.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { pick } from '../core/pick.ts'
import { checkInput } from '../core/validate.ts'
import type { EmailRecord } from '../emails/email.ts'
import { changeRecord, listRecords, untilCommitted } from '../store/repository.ts'
import { remove, type Collection, type Store, type StoredRecord } from '../store/store.ts'
import { scheduledNames, sendAtSchema } from './schema.ts'
import type { ScheduledEmail } from './types.ts'

/** An email that is sent later: all of it but what it gets when it is sent. */
export interface ScheduledRecord extends StoredRecord {
  /** When it is sent: Unix time in milliseconds. */
  send_at: number
  /** When it was accepted: Unix time in milliseconds. */
  created: number
  /** As in the email. */
  provider_key?: string
  /** The route of API sends when it was accepted. */
  via: 'capture' | 'relay'
  /** The email that it becomes; its blobs belong to this record. */
  email: WaitingEmail
}

/** The members of an email that do not depend on when it is sent. */
export type WaitingEmail = Omit<
  EmailRecord,
  'id' | 'version' | 'created' | 'recipients' | 'outbox' | 'outbox_due' | 'provider_key'
>

export const scheduledCollection: Collection<ScheduledRecord> = {
  name: 'scheduled',
  large: true,
  indexes: { send_at: { on: ['send_at', 'id'] }, provider: { on: ['provider_key', 'id'] } },
}

/** Whether an email waits for its time. */
export function isScheduled(email: EmailRecord | ScheduledRecord): email is ScheduledRecord {
  return 'send_at' in email
}

/** The emails that are sent later. */
export interface Scheduled {
  /** The one that was accepted last comes first. @throws invalid_cursor. */
  list(query?: ListQuery): Promise<ListPage<ScheduledEmail>>
  /** @throws not_found, also once it was sent. */
  get(id: string): Promise<ScheduledEmail>
  /** Changes when it is sent. @param sendAt  As `send_at` of a request. @throws not_found; validation_error. */
  reschedule(id: string, sendAt: number | string): Promise<ScheduledEmail>
  /** Removes it, so that it is never sent. @throws not_found, also once it was sent. */
  cancel(id: string): Promise<void>
  /** Sends it at once. @returns The id of its email. @throws not_found. */
  sendNow(id: string): Promise<{ id: string }>
}

/** @param deps.send  Makes it an email. @returns Its id; null if it was sent or cancelled meanwhile. */
export function createScheduled(deps: {
  store: Store
  clock: Clock
  pageSize: number
  send(record: ScheduledRecord): Promise<string | null>
}): Scheduled {
  const { store, clock, pageSize } = deps
  const read = async (id: string): Promise<ScheduledRecord> => {
    const record = await store.get(scheduledCollection, id)
    if (record) return record
    const message = `There is no scheduled email ${quote(id)}. Check the id: it may have been sent or cancelled.`
    throw new LocalpostError('not_found', message)
  }
  return {
    async list(query) {
      const page = await listRecords(store, scheduledCollection, query, {
        pageSize,
        direction: 'desc',
        cursorIs: 'the id of a scheduled email',
        isCursor: (text) => isId('sch', text),
      })
      return { ...page, items: page.items.map(toScheduled) }
    },
    get: async (id) => toScheduled(await read(id)),
    async reschedule(id, sendAt) {
      // First, so that an email that does not exist is reported rather than a wrong time.
      await read(id)
      const given = checkInput(sendAtSchema, sendAt, ['send_at'])
      if ('errors' in given) throw validationError(given.errors)
      const send_at = readTime(given.value, clock.now())
      const changed = await changeRecord(store, scheduledCollection, id, 'scheduled email', (record) => ({
        ...record,
        send_at,
      }))
      return toScheduled(changed)
    },
    cancel: (id) =>
      untilCommitted(async () => {
        const { version } = await read(id)
        await store.commit([remove(scheduledCollection, id, version)])
      }),
    async sendNow(id) {
      let sent: string | null = null
      while (sent === null) sent = await deps.send(await read(id))
      return { id: sent }
    },
  }
}

/**
 * Reads when an email is to be sent.
 *
 * @param given  Unix time in milliseconds, or ISO 8601.
 * @param maxAheadDays  Default: about 10 years; a later time is a mistake of units.
 * @throws validation_error if it is further ahead.
 */
export function readTime(given: number | string, now: number, maxAheadDays?: number): number {
  const time = new Date(given).getTime()
  if (time <= now + (maxAheadDays ?? tenYearsInDays) * dayMs) return time
  const limit = maxAheadDays === undefined ? '10 years' : `${maxAheadDays} days`
  const message = `must be at most ${limit} ahead, not ${quote(new Date(time).toISOString())}`
  throw validationError([{ field: 'send_at', message }])
}

const dayMs = 24 * 60 * 60 * 1000
const tenYearsInDays = 3660

function toScheduled({ id, send_at, created, email }: ScheduledRecord): Complete<ScheduledEmail> {
  return { id, send_at, created, ...pick(email, scheduledNames) }
}
