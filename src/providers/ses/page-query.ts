import { z } from 'zod'
import { queryNumber } from '../../server/lists.ts'

/** The query of lists. */
export const pageQuery = z.strictObject({
  NextToken: z.string().min(1).optional(),
  PageSize: queryNumber(1, 1000).optional(),
})

/** The same as a body, where 0 stands for the default as in SES. */
export const pageBody = z.strictObject({
  NextToken: z.string().min(1).optional(),
  PageSize: z.int().min(0).max(1000).optional(),
})
