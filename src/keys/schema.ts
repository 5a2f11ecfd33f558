import { z } from 'zod'
import type { ApiKey, ApiKeyInput, Scope } from './types.ts'

/** The scope of a key. */
export const scopeSchema: z.ZodType<Scope> = z.enum(['full', 'send', 'read'])

/** A key to create: the body of `POST /dev/keys`. */
export const apiKeyInputSchema: z.ZodType<ApiKeyInput> = z.strictObject({
  name: z.string().max(200).nullable().optional().describe('What the key is for'),
  scope: scopeSchema
    .optional()
    .describe(
      '`full`: everything. `send`: `POST /v1/emails`, `POST /dev/emails` and the SMTP login. `read`: what changes nothing. Default: `full`',
    ),
})

/** An API key as `/dev/keys` answers it. */
export const apiKeySchema: z.ZodType<ApiKey> = z.strictObject({
  id: z.string().describe('Of a key from the options: `option_1`, `option_2`, …'),
  name: z.string().nullable().describe('What the key is for; null if it has no name'),
  scope: scopeSchema.describe('Keys from the options have the scope `full`'),
  created: z.int().describe('Unix time in milliseconds; of a key from the options: when this instance began'),
  value: z
    .string()
    .describe('Masked, as in `lp_abcd…wxyz`; whole in the answer to the creation, and on loopback'),
  source: z
    .enum(['stored', 'option'])
    .describe('Keys from the options exist while the instance runs and cannot be removed'),
})
