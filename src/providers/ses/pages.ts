import { z } from 'zod'
import { queryNumber } from '../../server/query-values.ts'

const NextToken = z.string().min(1).optional()

/** The query of lists. */
export const pageQuery = z.strictObject({ NextToken, PageSize: queryNumber(1, 1000).optional() })

/** The same as a body, where 0 stands for the default as in SES. */
export const pageBody = z.strictObject({ NextToken, PageSize: z.int().min(0).max(1000).optional() })

/** The answer of a list. `NextToken` is absent on the last page. @param items  The member with the items. */
export function pageSchema(items: z.ZodRawShape): z.ZodType {
  return z.strictObject({ ...items, NextToken: z.string().optional() })
}

/** The answer of an operation that has nothing to say. */
export const emptyAnswer = z.strictObject({})

/** Answers with {@link emptyAnswer} when the work is done. */
export async function answerEmpty(work: Promise<unknown>): Promise<Record<string, never>> {
  await work
  return {}
}
