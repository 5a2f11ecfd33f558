import { z } from 'zod'
import type { Config } from '../options/options.ts'
import type { ErrorBody } from '../core/errors.ts'
import { errorTable } from '../core/errors.ts'
import type { ListPage } from '../core/lists.ts'

/** The body of every error answer. */
export const errorSchema: z.ZodType<ErrorBody> = z.strictObject({
  statusCode: z.int().describe('The HTTP status again'),
  name: z.enum(Object.keys(errorTable) as (keyof typeof errorTable)[]).describe('What to branch on'),
  message: z.string().describe('What failed and what to do; for people'),
  errors: z
    .array(z.strictObject({ field: z.string(), message: z.string() }))
    .optional()
    .describe('One entry per wrong member'),
})

/** The query of a list of `/v1`. */
export const cursorQuery: z.ZodType<{ cursor?: string | undefined }> = z.object({
  cursor: z
    .string()
    .optional()
    .describe('The `cursor` of the previous page; absent, empty or `null`: the first page'),
})

/** The query of a list of `/dev`. */
export const pageQuery: z.ZodType<{ cursor?: string | undefined; limit?: number | undefined }> = z.object({
  cursor: z
    .string()
    .optional()
    .describe('The `cursor` of the previous page; absent, empty or `null`: the first page'),
  limit: z.coerce.number().int().min(1).max(500).optional().describe('Items per page. Default: 50'),
})

/** A list answer: `{ <name>: [...], count, cursor }`. */
export function listSchema(name: string, item: z.ZodType): z.ZodType {
  return z.strictObject({
    [name]: z.array(item),
    count: z.int().describe('All items, the same on every page'),
    cursor: z.string().nullable().describe('What the next page is asked for with; null on the last page'),
  })
}

/** A page of a noun as a list answer. */
export function toList<Name extends string, T>(
  name: Name,
  page: ListPage<T>,
): Record<Name, T[]> & { count: number; cursor: string | null } {
  const list = { [name]: page.items } as Record<Name, T[]>
  return { ...list, count: page.count, cursor: page.cursor }
}

/** The answer to a removal: how many are gone. */
export const deletedSchema: z.ZodType<{ deleted: number }> = z.strictObject({ deleted: z.int() })

/** Where mail is submitted. */
export const smtpSchema: z.ZodType<{ host: Config['host']; port: number }> = z.strictObject({
  host: z.string(),
  port: z.int(),
})
