import type { ListRow } from '../views/inbox/conversations.ts'
import type { ListedMail } from '../../src/inbox/types.ts'

/** The loaded rows of a list, without gaps. */
export interface ListWindow {
  /** The position of the first loaded row in the list. */
  readonly first: number
  readonly emails: ListRow[]
  /** The mails that the rows stand for, by their positions on the server; absent while each row is one of them. */
  readonly mails?: ListWindow
}

export const noRows: ListWindow = { first: 0, emails: [] }

/**
 * Adds a page of the list to the loaded rows if it lies directly before or after them; any other page replaces them.
 *
 * Mail that arrives or is deleted while a page is fetched moves the rows. Rows that are already loaded are not added again,
 * and the refresh after that change corrects the positions.
 *
 * @param wanted  The positions in sight; rows far from them are dropped.
 */
export function afterPage(before: ListWindow, page: ListWindow, wanted: Range): ListWindow {
  const { first, emails } = before
  const known = new Set(emails.map(({ id }) => id))
  const added = page.emails.filter(({ id }) => !known.has(id))
  if (emails.length > 0 && page.first === first + emails.length)
    return trimmed({ first, emails: [...emails, ...added] }, wanted)
  if (emails.length > 0 && page.first + page.emails.length === first)
    return trimmed({ first: first - added.length, emails: [...added, ...emails] }, wanted)
  return page
}

/** Positions in the list, the last one included; none if `to` is before `from`. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Rows to fetch, by their positions. */
export interface Part {
  offset: number
  limit: number
}

/**
 * The next rows to fetch for the wanted positions; null if all are loaded. The more rows are wanted, the larger is the page, so
 * that few requests follow a fast scroll.
 *
 * @param wanted  None if `to` is before `from`.
 */
export function missingPart({ first, emails }: ListWindow, { from, to }: Range): Part | null {
  const end = first + emails.length
  if (to < from || (from >= first && to < end)) return null
  const page = Math.min(Math.max(to - from, laterPage), largestPage)
  // Rows that were passed on the way are loaded too if they are few, so that the loaded ones stay.
  if (from >= first && (from <= end || to - end < mostPassed)) {
    return { offset: end, limit: Math.min(Math.max(to + 1 - end, page), largestPage) }
  }
  if (to < end && (to >= first - 1 || first - from < mostPassed)) {
    const offset = Math.max(0, first - largestPage, Math.min(from, first - page))
    return { offset, limit: first - offset }
  }
  const offset = Math.max(0, from - around)
  return { offset, limit: Math.min(to + around + 1 - offset, largestPage) }
}

/** Whether rows that are being fetched are still of use for the wanted positions. */
export function isWanted({ offset, limit }: Part, { from, to }: Range): boolean {
  return from < offset + limit && to >= offset
}

/**
 * The loaded rows to fetch again after changes: all, or as many as one page has, around the wanted positions. If more are
 * wanted than one page has, because they hold conversations, those at the end are in sight.
 */
export function renewedPart({ first, emails }: ListWindow, { from, to }: Range): Part {
  const limit = Math.min(Math.max(emails.length, 1), largestPage)
  const middle = to - from < limit ? Math.min(from, Math.floor((from + to - limit) / 2)) : to + 1 - limit
  return { offset: Math.max(first, Math.min(middle, first + emails.length - limit)), limit }
}

/** Replaces the first loaded rows by the newest ones, which were fetched again. Older rows keep their places. */
export function afterHead(
  before: readonly ListedMail[],
  page: { emails: ListedMail[]; count: number },
): ListedMail[] {
  const fetched = new Set(page.emails.map(({ id }) => id))
  const last = before.findLastIndex(({ id }) => fetched.has(id))
  // No mail in common: the list was empty, or more mail arrived than one page has. The list then starts again.
  const rest = last === -1 ? [] : before.slice(last + 1)
  return [...page.emails, ...rest].slice(0, page.count)
}

/**
 * How many places the row at a position moved down, or the next row that is still loaded; null if there is none. Above the
 * loaded rows, a mail whose conversation was not known moves up by the mails that have no row of their own any more.
 */
export function movedBy(before: ListWindow, after: ListWindow, position: number): number | null {
  const now = new Map<string, number>()
  after.emails.forEach(({ id, conversation }, at) => {
    for (const one of conversation?.ids ?? [id]) now.set(one, after.first + at)
  })
  const above = position < before.first ? after.mails : undefined
  if (above) {
    const place = now.get(above.emails[position - above.first]?.id ?? '')
    return place === undefined ? 0 : place - position
  }
  for (let at = Math.max(0, position - before.first); at < before.emails.length; at++) {
    const place = now.get(before.emails[at]?.id ?? '')
    if (place !== undefined) return place - (before.first + at)
  }
  return null
}

/**
 * How many mails arrived above a row, whatever rows they are in. Rows of conversations also move where mails are loaded or
 * dropped, which brings no new ones.
 *
 * @param position  Of the row before.
 * @returns null if none of the mails from this row on is loaded any more.
 */
export function arrivedAbove(before: ListWindow, after: ListWindow, position: number): number | null {
  const { first, emails } = before.mails ?? before
  const row = before.emails[Math.max(0, position - before.first)]
  const at = emails.findIndex(({ id }) => id === row?.id)
  const moved = at === -1 ? null : movedBy({ first, emails }, after.mails ?? after, first + at)
  return moved === null ? null : Math.max(0, moved)
}

function trimmed({ first, emails }: ListWindow, { from, to }: Range): ListWindow {
  if (emails.length <= mostRows) return { first, emails }
  const start = Math.max(first, Math.min(from, to) - mostBefore)
  // Rows of conversations hold so many mails that those in sight may need more. A page that was fetched for them stays whole.
  const end = Math.min(first + emails.length, Math.max(start + mostRows, to + laterPage))
  return { first: start, emails: emails.slice(start - first, end - first) }
}

/** About one kilobyte each. A page of the largest size, which a fast scroll fetches, stays whole with the rows around it. */
const mostRows = 1500
const mostBefore = 500
const laterPage = 100
/** What the server allows. */
export const largestPage = 500
/** Rows that are loaded because a scroll passed them. */
const mostPassed = 250
/** How many rows are loaded on both sides of a position far from the loaded rows. */
const around = 30
