import { z } from 'zod'
import type { Link } from './types.ts'

/** A link of a mail. */
export const linkSchema: z.ZodType<Link> = z.strictObject({
  href: z.string(),
  text: z.string().describe('The link’s own text; the address itself in the text part'),
})
