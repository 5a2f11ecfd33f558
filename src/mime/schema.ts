import { z } from 'zod'
import type { DkimResult } from './types.ts'

/** The result of checking a DKIM signature. */
export const dkimResultSchema: z.ZodType<DkimResult> = z.strictObject({
  domain: z.string().describe('Tag `d=`, lower case'),
  selector: z.string().describe('Tag `s=`'),
  result: z
    .enum(['pass', 'fail', 'no_key', 'invalid'])
    .describe(
      '`no_key`: this instance does not have the key, and looks nowhere else; `invalid`: the signature cannot be checked',
    ),
  reason: z.string().nullable().describe('Why, as a sentence; null if it passed'),
})
