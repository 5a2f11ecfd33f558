import { z } from 'zod'
import type { ApiKey, ApiKeyInput } from './key.ts'

/** The body of `POST /dev/keys`. */
export const apiKeyInputSchema: z.ZodType<ApiKeyInput> = z.object({
  name: z.string().max(200).nullable().optional().describe('What the key is for'),
})

/** An API key as `/dev/keys` answers it. */
export const apiKeySchema: z.ZodType<ApiKey> = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  created: z.int().describe('Unix time in milliseconds'),
  value: z
    .string()
    .describe('Masked, as in `lp_abcd…wxyz`; whole in the answer to the creation, and on loopback'),
  source: z.enum(['stored', 'option']).describe('Keys from the options cannot be removed'),
})
