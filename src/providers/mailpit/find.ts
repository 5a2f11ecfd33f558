import { LocalpostError } from '../../core/errors.ts'
import type { InboxPages } from '../../inbox/methods.ts'
import { toInboxQuery } from './query.ts'

/**
 * The id that a path means: itself, or with `latest` that of the newest message, or of the newest match of `query`.
 *
 * @throws not_found, invalid_query.
 */
export async function idOf(
  inbox: Pick<InboxPages, 'entries'>,
  id: string,
  { query = '', tz }: { query?: string; tz?: string },
  signal: AbortSignal,
): Promise<string> {
  if (id !== 'latest') return id
  const wanted = query.trim() === '' ? {} : { query: toInboxQuery(query, tz) }
  const { items } = await inbox.entries({ ...wanted, limit: 1, count: 'page', signal })
  const [newest] = items
  if (newest) return newest.id
  throw new LocalpostError('not_found', 'Message not found')
}

/** Whether a browser shows the answer as a page or in a frame. */
export function isShown(headers: Pick<Headers, 'get'>): boolean {
  const target = headers.get('sec-fetch-dest')
  // Browsers leave Sec-Fetch headers out over plain HTTP. Cypress sends the User-Agent of its browser, but asks for anything.
  return target === null ? /text\/html/.test(headers.get('accept') ?? '') : target !== 'empty'
}

/**
 * Whether a program made the request, or the script of a page: no person followed an address, and nothing embedded it.
 * An address in a mail causes only the other kind.
 */
export function isFromProgram(headers: Pick<Headers, 'get'>): boolean {
  const [target, site] = [headers.get('sec-fetch-dest'), headers.get('sec-fetch-site')]
  // A page of another port is `same-site`, and reads nothing of the answer, but the request would have its effect.
  if (site !== null || target !== null)
    return (site ?? 'same-origin') === 'same-origin' && (target ?? 'empty') === 'empty'
  // Browsers leave Sec-Fetch headers out over plain HTTP.
  const isBrowser = /^Mozilla\//i.test(headers.get('user-agent') ?? '')
  return !isBrowser && !/text\/html|^image\//.test(headers.get('accept') ?? '')
}
