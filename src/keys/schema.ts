import { z } from 'zod'
import type { ApiKey, ApiKeyInput } from './types.ts'

/** What a key is made with: the body of `POST /dev/keys`. */
export const apiKeyInputSchema: z.ZodType<ApiKeyInput> = z.strictObject({
  name: z.string().max(200).nullable().optional().describe('What the key is for'),
})

/** An API key as `/dev/keys` answers it. */
export const apiKeySchema: z.ZodType<ApiKey> = z.strictObject({
  id: z.string().describe('Of a key from the options: `option_1`, `option_2`, …'),
  name: z.string().nullable().describe('What the key is for; null where it has no name'),
  created: z.int().describe('Unix time in milliseconds; of a key from the options: when this instance began'),
  value: z
    .string()
    .describe('Masked, as in `lp_abcd…wxyz`; whole in the answer to the creation, and on loopback'),
  source: z
    .enum(['stored', 'option'])
    .describe('Keys from the options last as long as the instance and cannot be removed'),
})
