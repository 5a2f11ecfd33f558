import { z } from 'zod'
import { faultsSchema } from '../faults/schema.ts'
import { smtpSchema } from './schemas.ts'
import type { Health } from './types.ts'

/** The answer of `/dev/health`. */
export const healthSchema: z.ZodType<Health> = z.strictObject({
  status: z
    .enum(['starting', 'ok', 'disk_low', 'refusing', 'closing'])
    .describe(
      '`ok` and `disk_low` come with status 200, all others with 503. `disk_low`: mail is accepted, but the disk of the data folder is almost full. `refusing`: new mail is refused, because the data folder cannot be written. `warnings` says why',
    ),
  version: z.string(),
  smtp: smtpSchema,
  url: z.string().nullable().describe('Base URL of the listener; null in process'),
  tracking_url: z
    .string()
    .nullable()
    .describe('Base URL of the addresses in tracked mail: the option `publicUrl`, else `url`'),
  counts: z.strictObject({
    emails: z.int(),
    domains: z.int(),
    audiences: z.int(),
    contacts: z.int(),
    templates: z.int(),
  }),
  faults: faultsSchema,
  warnings: z.array(z.string()).describe('Warnings that a person should see, in sentences'),
})
