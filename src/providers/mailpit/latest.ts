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
