import { emailCollection } from '../emails/email.ts'
import type { Store } from '../store/store.ts'
import type { Tags } from './tags.ts'

/** What is in the inbox as a whole. */
export interface Overview {
  /** How many mails there are. */
  total: number
  unread: number
  /** The tags that mails have, in lower case and in alphabetical order. */
  tags: readonly string[]
}

/** Counts what is in the inbox. The numbers are kept until a mail changes, because clients ask for them again and again. */
export function createOverview(
  { store }: { store: Pick<Store, 'count' | 'changes'> },
  tags: Pick<Tags, 'list'>,
): () => Promise<Overview> {
  let current: Promise<Overview> | null = null

  async function count(): Promise<Overview> {
    const [total, unread, counts] = await Promise.all([
      store.count(emailCollection),
      store.count(emailCollection, { where: { flag: 'unread' } }),
      tags.list(),
    ])
    const used = counts.filter((one) => one.count > 0).map(({ tag }) => tag)
    return { total, unread, tags: used.toSorted() }
  }

  return () => {
    if (current) return current
    const counting = count()
    current = counting
    const forget = (): void => {
      stopListening()
      if (current === counting) current = null
    }
    const stopListening = store.changes(forget, { of: emailCollection })
    // A failed count is not kept.
    counting.catch(forget)
    return counting
  }
}
