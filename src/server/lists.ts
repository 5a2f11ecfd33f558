import { z } from 'zod'
import type { ListPage } from '../core/lists.ts'
import { queryNumber } from './query-values.ts'

// An id, or the address of a contact: no cursor is longer. Only documented here, because an invalid cursor has its own
// error.
const cursorMeta = {
  description: 'The `cursor` of the previous page; absent, empty or `null`: the first page',
  maxLength: 320,
}

/** The query of a list of `/v1`. */
export const v1PageQuery: z.ZodType<{ cursor?: string | undefined }> = z.object({
  cursor: z.string().meta(cursorMeta).optional(),
})

/** The members of the query of every list of `/dev`. */
export const devPageMembers: {
  cursor: z.ZodType<string | undefined>
  limit: z.ZodType<number | undefined>
} = {
  cursor: z.string().meta(cursorMeta).optional(),
  limit: queryNumber(1, 500).optional().describe('Items per page. Default: 50'),
}

/** The query of a list of `/dev`. */
export const devPageQuery: z.ZodType<{ cursor?: string | undefined; limit?: number | undefined }> =
  z.strictObject(devPageMembers)

/** A list answer: `{ <name>: [...], count, cursor }`. */
export function listSchema(name: string, item: z.ZodType): z.ZodType {
  return z.strictObject({
    [name]: z.array(item),
    count: z.int().describe('All items, the same on every page'),
    cursor: z.string().nullable().describe('What the next page is asked for with; null on the last page'),
  })
}

/** A page of a resource as a list answer. */
export function toListAnswer<Name extends string, T>(
  name: Name,
  page: ListPage<T>,
): Record<Name, T[]> & { count: number; cursor: string | null } {
  const list = { [name]: page.items } as Record<Name, T[]>
  return { ...list, count: page.count, cursor: page.cursor }
}

/** The answer to a removal: how many were removed. */
export const deletedSchema: z.ZodType<{ deleted: number }> = z.strictObject({ deleted: z.int() })
