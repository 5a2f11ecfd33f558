import { onTestFinished } from 'vitest'
import { emailCollection, messageBlob } from '../../src/emails/email.ts'
import { createHeads } from '../../src/search/heads.ts'
import { startIndexer, type IndexerDeps } from '../../src/search/column-indexer.ts'
import type { Digests } from '../../src/search/digests.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { blobOf, insert, type Store } from '../../src/store/store.ts'
import { openTextColumn } from '../../src/search/text-column.ts'
import { anEmail, digestsOf, idOf } from '../inbox/_email.ts'
import { testClock } from '../support/clock.ts'

/** A store of mails, and an indexer of them that `begin` starts. `read` lists the mails in the order in which they were read. */
export async function open(take?: (store: Store) => Digests['take']) {
  const store = await openMemoryStore({ collections: [emailCollection] })
  const clock = testClock(1_000_000)
  const read: string[] = []
  const digests = take ? { take: take(store) } : digestsOf(store)
  const column = await openTextColumn(null)
  const heads = createHeads({ store, open: () => openTextColumn(null), isKept: true })
  const begin = (more: Partial<IndexerDeps> = {}) =>
    startIndexer({
      store,
      clock,
      column,
      heads,
      digests: {
        take(email) {
          read.push(email.id)
          return digests.take(email)
        },
      },
      ...more,
    })
  const arrive = (n: number) =>
    store.commit(
      [insert(emailCollection, anEmail(n))],
      [blobOf(messageBlob(idOf(n)), `Subject: s\r\n\r\nText ${n}`)],
    )
  onTestFinished(() => store.close())
  const snippets = async () => (await store.page(emailCollection)).records.map(({ snippet }) => snippet)
  const left = () => store.count(emailCollection, { where: { member: 'undigested', equals: true } })
  return { store, clock, column, heads, read, begin, arrive, snippets, left }
}

/** A clock without timers, by which each mail takes so long to read. */
export function slowReading(store: Store, ms: number) {
  let now = 0
  const digests = digestsOf(store)
  return {
    clock: { now: () => now, after: () => () => {} },
    digests: {
      take(...given: Parameters<Digests['take']>) {
        now += ms
        return digests.take(...given)
      },
    },
  }
}
