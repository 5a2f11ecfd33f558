import { z } from 'zod'
import type { RouteContext } from '../../server/route.ts'
import { mailgunFace } from './face.ts'

/** The links of an answer. */
export const pagingSchema = z.strictObject({
  first: z.string(),
  next: z.string(),
  previous: z.string(),
  last: z.string(),
})

/** The pages of a list that a query can ask for. */
export const pageName = z.enum(['first', 'next', 'previous', 'last'])

/** Which page of a list is wanted. */
export interface PageQuery {
  readonly limit: number
  readonly page: z.infer<typeof pageName>
  /** With `next` and `previous`: the key beside the page. */
  readonly pivot: string
}

/** The items of one page, of all in the order of their keys. */
export async function pageOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  keyOf: (item: T) => string,
  { limit, page, pivot }: PageQuery,
): Promise<T[]> {
  const isAtEnd = page === 'last' || page === 'previous'
  const found: T[] = []
  for await (const one of items) {
    const key = keyOf(one)
    if (page === 'previous' && key >= pivot) break
    if (page === 'next' && key <= pivot) continue
    found.push(one)
    if (found.length <= limit) continue
    if (!isAtEnd) break
    found.shift()
  }
  return found.slice(0, limit)
}

/** What links are made of, beside their page: the request. */
export type LinkContext = Pick<RouteContext, 'headers' | 'isSecure'>

/**
 * The links to the pages beside one, as clients follow them.
 *
 * @param path  Below the URL of this API.
 * @param keys  Of the items of the page.
 * @param name  The parameter of the pivot.
 * @param more  Further parameters.
 */
export function linksOf(
  path: string,
  keys: readonly string[],
  { limit, pivot }: PageQuery,
  { name, more = {} }: { name: string; more?: Readonly<Record<string, string>> | undefined },
  context: LinkContext,
): z.infer<typeof pagingSchema> {
  const link = (page: string, beside?: string): string => {
    const query = new URLSearchParams({ page, limit: String(limit), ...more })
    if (beside !== undefined) query.set(name, beside)
    return `${baseUrlOf(context)}${path}?${query.toString()}`
  }
  return {
    first: link('first'),
    next: link('next', keys.at(-1) ?? pivot),
    previous: link('previous', keys[0] ?? pivot),
    last: link('last'),
  }
}

/** The URL of this API, as the caller of a request sees it; for links in answers, which clients follow as they are. */
export function baseUrlOf({ headers, isSecure }: LinkContext): string {
  return `${isSecure() ? 'https' : 'http'}://${headers.get('host') ?? 'localhost'}${mailgunFace.prefix}`
}
