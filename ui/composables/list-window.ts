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
export function afterPage(
  before: ListWindow,
  page: ListWindow,
  wanted: { from: number; to: number },
): ListWindow {
  const { first, emails } = before
  const known = new Set(emails.map(({ id }) => id))
  const added = page.emails.filter(({ id }) => !known.has(id))
  if (emails.length > 0 && page.first === first + emails.length)
    return trimmed({ first, emails: [...emails, ...added] }, wanted)
  if (emails.length > 0 && page.first + page.emails.length === first)
    return trimmed({ first: first - added.length, emails: [...added, ...emails] }, wanted)
  return page
}

/** Rows to fetch, by their positions. */
export interface Part {
  offset: number
  limit: number
}

/**
 * The next rows to fetch for the wanted positions; null if all are loaded.
 *
 * @param wanted  None if `to` is before `from`.
 */
export function missingPart(
  { first, emails }: ListWindow,
  { from, to }: { from: number; to: number },
): Part | null {
  const end = first + emails.length
  if (to < from || (from >= first && to < end)) return null
  if (from >= first && from <= end) return { offset: end, limit: Math.max(to + 1 - end, laterPage) }
  if (to >= first - 1 && to < end) {
    const offset = Math.max(0, Math.min(from, first - laterPage))
    return { offset, limit: Math.min(first - offset, largestPage) }
  }
  const offset = Math.max(0, from - around)
  return { offset, limit: Math.min(to + around + 1 - offset, largestPage) }
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

/** How many places the row at a position moved down, or the next row that is still loaded; null if there is none. */
export function movedBy(before: ListWindow, after: ListWindow, position: number): number | null {
  const now = new Map<string, number>()
  after.emails.forEach(({ id, conversation }, at) => {
    for (const one of conversation?.ids ?? [id]) now.set(one, after.first + at)
  })
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

function trimmed({ first, emails }: ListWindow, { from, to }: { from: number; to: number }): ListWindow {
  if (emails.length <= mostRows) return { first, emails }
  const start = Math.max(first, Math.min(from, to) - mostRows / 2)
  // Rows of conversations hold so many mails that those in sight may need more. A page that was fetched for them stays whole.
  const end = Math.min(first + emails.length, Math.max(start + mostRows, to + laterPage))
  return { first: start, emails: emails.slice(start - first, end - first) }
}

const mostRows = 600
export const laterPage = 100
/** What the server allows. */
export const largestPage = 500
/** How many rows are loaded on both sides of a position far from the loaded rows. */
const around = 30
