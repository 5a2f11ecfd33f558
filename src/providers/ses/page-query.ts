import { z } from 'zod'

/** The query of lists. */
export const pageQuery: z.ZodType<{ NextToken?: string; PageSize?: number }> = z.strictObject({
  NextToken: z.string().min(1).optional(),
  PageSize: z.coerce.number().int().min(1).max(1000).optional(),
})
