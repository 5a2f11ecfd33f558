import { z } from 'zod'
import { validationError } from '../../core/errors.ts'
import { previewClients, type PreviewClient } from '../../client-support/preview-clients.ts'
import type { Selection } from '../../inbox/bulk.ts'
import { optionTable } from '../../options/table.ts'
import { maxQueryLength } from '../../search/query-terms.ts'
import { queryNumber } from '../query-number.ts'

// Only documented here, because a query that is too long has its own error.
const searchText = z.string().meta({
  maxLength: maxQueryLength,
  description:
    'A search: words, `"phrases"`, `from:`, `to:`, `subject:`, `body:`, `status:`, `tag:`, `is:unread`, `has:attachment`, `after:2h`, …, each with `-` for its opposite',
})

// A typo in a name must not select every mail: these refuse unknown names.

/** The query of the inbox list. */
export const inboxQuery: z.ZodType<{
  query?: string | undefined
  cursor?: string | undefined
  offset?: number | undefined
  limit?: number | undefined
  fold?: 'broadcasts' | undefined
  count?: 'all' | 'page' | undefined
}> = z.strictObject({
  query: searchText.optional(),
  cursor: z.string().optional().describe('The `cursor` of the previous page'),
  offset: queryNumber(0).optional().describe('The position of the first item, from 0; instead of `cursor`'),
  limit: queryNumber(1, 500).optional().describe('Items per page. Default: 50'),
  fold: z
    .enum(['broadcasts'])
    .optional()
    .describe(
      'With `broadcasts`, the mails of a broadcast are one item, in the place of the first of them; without effect on a search',
    ),
  count: z
    .enum(['all', 'page'])
    .optional()
    .describe(
      'With `page`, a search may end as soon as the page is full; the answer then says `at_least`. Default: `all`',
    ),
})

const names = z
  .string()
  .max(4000)
  .transform((text) => text.split(',').filter((name) => name !== ''))
  .optional()

/** The query of `GET /dev/inbox/{id}/checks`. */
export const checksQuery: z.ZodType<{
  except?: string[] | undefined
  clients?: string[] | undefined
  live?: boolean | undefined
}> = z.strictObject({
  except: names.describe(
    'Ids of checks to leave out, separated by commas. Default: the option `checks.except`',
  ),
  clients: names.describe(
    'Keys of the mail clients that matter, separated by commas. Default: the option `checks.clients`',
  ),
  live: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe(
      'Asks each link and image once whether it answers, and fetches the BIMI logo; needs an API key or the header `X-Localpost-Page`. Default: false',
    ),
})

/** The query of `GET /dev/inbox/wait`. */
export const waitQuery: z.ZodType<{
  query?: string | undefined
  count?: number | undefined
  timeout_ms?: number | undefined
  after?: string | undefined
}> = z.strictObject({
  query: searchText.optional(),
  count: queryNumber(1, 500)
    .optional()
    .describe('For so many mails: the answer is `{ emails }`, the newest first'),
  timeout_ms: queryNumber(0, 300_000)
    .optional()
    .describe(
      `Default: the option \`waitTimeoutMs\`, which is ${optionTable.waitTimeoutMs.default} without it`,
    ),
  after: z.string().optional().describe('Only mail that arrived after the one with this id'),
})

/** The query of bulk changes. */
export const selectionQuery: z.ZodType<{ query?: string | undefined; all?: 'true' | undefined }> =
  z.strictObject({
    query: searchText.optional(),
    all: z.literal('true').optional().describe('Every mail'),
  })

/** The query of `GET /dev/inbox/{id}/preview`. */
export const previewQuery: z.ZodType<{ client: PreviewClient }> = z.strictObject({
  client: z.enum(previewClients).describe('The mail client'),
})

/** The query of `GET /dev/inbox/{id}/compare/{other}`. */
export const compareQuery: z.ZodType<{ masked?: 'false' | undefined }> = z.strictObject({
  masked: z
    .literal('false')
    .optional()
    .describe('Shows ids, dates, tokens and codes, and counts them as differences. Default: they are masked'),
})

/** The query of `GET /dev/inbox/export`. */
export const exportQuery: z.ZodType<{ query?: string | undefined }> = z.strictObject({
  query: searchText.optional(),
})

/**
 * The mails that a request selects: exactly one of a query, ids and all.
 *
 * @throws validation_error, so that no mail is changed that was not named.
 */
export function toSelection(
  { query, all }: { query?: string | undefined; all?: string | undefined },
  given: string[] | undefined,
): Selection {
  const named = [Boolean(query?.trim()), all === 'true', given !== undefined].filter(Boolean).length
  if (named !== 1) {
    const how = named === 0 ? 'is missing' : 'cannot be joined with the others'
    const message = `${how}: say which mails by one of \`?query=…\`, \`?all=true\` or \`ids\` in the body`
    throw validationError([{ field: 'query', message }])
  }
  return given ? { ids: given } : all === 'true' ? null : (query ?? '')
}
