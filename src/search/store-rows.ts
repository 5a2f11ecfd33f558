import { emailCollection } from '../emails/email.ts'
import type { Store } from '../store/store.ts'
import type { TextMatch, TextQuery, TextTerm, Texts } from '../store/texts.ts'
import { createPacer } from '../core/slices.ts'
import { type HeadTerm, partsOfMember } from './head-rows.ts'
import type { MatchingPage, MatchingRows, RowsLimit, WantedRows } from './matching-rows.ts'
import type { MailFilter } from './query.ts'
import type { StoreIndexer } from './store-indexer.ts'
import type { RowTerm } from './text-rows.ts'

/** Dependencies of {@link createStoreRows}. */
export interface StoreRowsDeps {
  store: Store
  /** The texts of `store`. */
  texts: Texts
  indexer: Pick<StoreIndexer, 'readTo'>
}

/** Finds mail by the texts that the store keeps. */
export function createStoreRows({ store, texts, indexer }: StoreRowsDeps): MatchingRows {
  async function queryOf({ rows, heads, facts }: MailFilter): Promise<TextQuery> {
    const terms = [...rows.map(wordTerm), ...heads.map(memberTerm)]
    // The head of a mail is also in its record. Its body must have been read.
    return { terms, where: facts, missingAfter: rows.length > 0 ? null : await indexer.readTo() }
  }

  async function matchesOf(filter: MailFilter, limit?: RowsLimit): Promise<readonly TextMatch[]> {
    const { matches, left } = await texts.all(emailCollection, await queryOf(filter), limit)
    if (limit) limit.left += left
    return matches
  }

  async function ids(filter: MailFilter, limit?: RowsLimit): Promise<string[]> {
    const found: string[] = []
    const pacer = createPacer()
    const matches = await matchesOf(filter, limit)
    for (let at = 0; at < matches.length; at += readAtOnce) {
      limit?.signal?.throwIfAborted()
      if (pacer.due()) await pacer.turn()
      const next = matches.slice(at, at + readAtOnce)
      const accepted = await Promise.all(next.map((match) => accepts(filter, match)))
      found.push(...next.flatMap(({ id }, nth) => (accepted[nth] ? [id] : [])))
    }
    return found
  }

  async function accepts(filter: MailFilter, { id, isUndecided }: TextMatch): Promise<boolean> {
    if (!isUndecided) return true
    const email = await store.get(emailCollection, id)
    return email !== null && filter.accepts(email)
  }

  return {
    ids,
    async candidates(filter, limit) {
      return (await matchesOf(filter, limit)).map(({ id }) => id)
    },
    async page(filter, wanted, limits) {
      const { cursor, offset, limit, isCounted } = wanted
      const place = { before: cursor, offset, limit: limit + 1, isCounted }
      const found = await texts.page(emailCollection, await queryOf(filter), place, limits)
      if (found.undecided > 0) return pageOf(await ids(filter, limits), wanted)
      if (limits) limits.left += found.left
      const { count, isPartial } = found
      return { ids: found.ids.slice(0, limit), count, more: found.ids.length > limit, isPartial }
    },
  }
}

/** How many records are read at once: their round trips to the database share their time. */
const readAtOnce = 100

function wordTerm({ bytes, in: place, isNegative }: RowTerm): TextTerm {
  return { parts: place === 'body' ? ['body'] : ['head', 'body'], forms: [bytes.toString()], isNegative }
}

function memberTerm({ member, forms, isNegative }: HeadTerm): TextTerm {
  return { parts: partsOfMember[member], forms: forms.map((form) => form.toString()), isNegative }
}

function pageOf(ids: readonly string[], { cursor, offset, limit }: WantedRows): MatchingPage {
  const from = cursor === null ? ids : ids.filter((id) => id < cursor)
  const wanted = from.slice(offset, offset + limit)
  return { ids: wanted, count: ids.length, more: from.length > offset + limit, isPartial: false }
}
