import { expect } from 'vitest'
import { labels, notes } from '../contracts/notes.ts'
import { openAfterKill } from './_setup.ts'

/** By id, each record with its message, as text; an answer tells apart any two states of a record. */
export type Answers = Record<string, string>

/** The data that the store of a killed process returns after the next start, and the notices of that start. */
export async function answers(dir: string): Promise<{ all: Answers; notices: string[] }> {
  const notices: string[] = []
  const store = await openAfterKill(dir, { onNotice: (text) => notices.push(text) })
  const all: Answers = {}
  try {
    for (const record of (await store.page(notes, { limit: 1e6 })).records) {
      const message = await store.readBlob(`${record.id}/message`).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'store_corrupt' })
        return damaged
      })
      all[record.id] = JSON.stringify([record, message?.toString('latin1')])
    }
    for (const record of (await store.page(labels, { limit: 1e6 })).records)
      all[record.id] = JSON.stringify([record])
  } finally {
    await store.close()
  }
  return { all, notices }
}

/** Whether the message of an answer could not be read. */
export const isDamaged = (answer: string | undefined): boolean => answer?.endsWith(`,"${damaged}"]`) ?? false

/** An answer to compare with that of another folder, in which the record has another version. */
export const unversioned = (answer: string | undefined): string | undefined =>
  answer?.replace(/"version":\d+/, '"version":0')

const damaged = 'damaged'
