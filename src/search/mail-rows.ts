import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { Page } from '../store/queries.ts'
import type { Store, StoreChange } from '../store/store.ts'
import type { TextColumn } from './text-column.ts'

/** The next mails without a row, in order of arrival. All mail that has no row comes after the last row of a column. */
export function mailsWithoutRow(
  store: Store,
  { cursor }: Pick<TextColumn, 'cursor'>,
  limit: number,
): Promise<Page<EmailRecord>> {
  return store.page(emailCollection, { ...(cursor === '' ? {} : { after: [cursor] }), limit })
}

/** The emails of these ids that exist, in the order of the ids. */
export async function mailsOf(store: Store, ids: readonly string[]): Promise<EmailRecord[]> {
  const { records } = await store.page(emailCollection, {
    where: { any: [] },
    also: ids,
    limit: ids.length,
  })
  return records
}

/**
 * The next mails without a row, some of which are read together: older records are in files, where many take little longer
 * than one.
 */
export class ReadAhead {
  readonly #store: Store
  readonly #column: Pick<TextColumn, 'cursor'>
  readonly #most: number
  #mails: EmailRecord[] = []

  /** @param most  How many mails are read together. */
  constructor(store: Store, column: Pick<TextColumn, 'cursor'>, most: number) {
    this.#store = store
    this.#column = column
    this.#most = most
  }

  /** The first mail without a row. */
  async next(): Promise<EmailRecord | undefined> {
    const { cursor } = this.#column
    while (this.#mails[0] && this.#mails[0].id <= cursor) this.#mails.shift()
    if (this.#mails.length === 0)
      this.#mails = (await mailsWithoutRow(this.#store, this.#column, this.#most)).records
    return this.#mails[0]
  }

  /** The first mail after an id, if it was read already. */
  after(id: string): EmailRecord | undefined {
    return this.#mails.find((email) => email.id > id)
  }

  /** Drops the mails that are no longer the next ones. */
  noteChange(change: StoreChange): void {
    if (change.op === 'remove') this.#mails = this.#mails.filter(({ id }) => id !== change.id)
    else if (this.#isOutdatedBy(change)) this.clear()
  }

  #isOutdatedBy(change: StoreChange): boolean {
    if (change.op === 'bulk') return change.removed > 0
    // A restored mail may belong between them.
    return change.op === 'gap' || (change.op === 'insert' && change.id < (this.#mails.at(-1)?.id ?? ''))
  }

  clear(): void {
    this.#mails = []
  }
}

/** Some of the mails at a time, limited by the bytes of their messages. */
export function* groupsOf(emails: readonly EmailRecord[]): Generator<EmailRecord[]> {
  let group: EmailRecord[] = []
  let bytes = 0
  for (const email of emails) {
    const size = email.message?.size_bytes ?? 0
    if (group.length === mostTogether || (group.length > 0 && bytes + size > mostBytes)) {
      yield group
      group = []
      bytes = 0
    }
    group.push(email)
    bytes += size
  }
  if (group.length > 0) yield group
}

/** The id of the newest mail; `""` if there is none. */
export async function newestId(store: Store): Promise<string> {
  return (await store.ids(emailCollection, { direction: 'desc', limit: 1 }))[0] ?? ''
}

/** Frees the space of the oldest rows, once enough of their mails are removed. */
export async function dropRemoved(
  store: Store,
  column: Pick<TextColumn, 'cursor' | 'dropBefore'>,
): Promise<void> {
  const [oldest] = await store.ids(emailCollection, { limit: 1 })
  await column.dropBefore(oldest ?? column.cursor)
}

/** Whether most rows belong to removed mails: they cost space and time, and rebuilding the few others is cheap. */
export async function isMostlyWaste(store: Store, { rows }: Pick<TextColumn, 'rows'>): Promise<boolean> {
  if (rows === 0) return false
  const live = await store.count(emailCollection)
  return live === 0 || rows > maxWasteFactor * live + fewRows
}

const maxWasteFactor = 5
const fewRows = 2000
/** How many mails are read and stored together, and the limit of the bytes of their messages. */
const mostTogether = 64
const mostBytes = 1024 * 1024

/** Counts the mails that have more text than their row. */
export class CutMails {
  readonly #store: Store
  readonly #ids: Set<string>
  /** Whether the column may name mails that were removed: by an earlier process, or by a change of many mails. */
  #mayBeRemoved = true

  constructor(store: Store, { cut }: Pick<TextColumn, 'cut'>) {
    this.#store = store
    this.#ids = cut
  }

  noteChange(change: StoreChange): void {
    if (change.op === 'remove') this.#ids.delete(change.id)
    else if (change.op === 'bulk' || change.op === 'gap') this.#mayBeRemoved = true
  }

  async count(): Promise<number> {
    if (this.#mayBeRemoved) {
      // A change during the loop asks for another one.
      this.#mayBeRemoved = false
      try {
        for (const id of this.#ids) if (!(await this.#store.get(emailCollection, id))) this.#ids.delete(id)
      } catch (error) {
        this.#mayBeRemoved = true
        throw error
      }
    }
    return this.#ids.size
  }
}
