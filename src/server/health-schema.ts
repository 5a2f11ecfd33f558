import { z } from 'zod'
import { faultsSchema } from '../faults/schema.ts'
import { smtpSchema } from './schemas.ts'
import type { Health } from './types.ts'

/** The answer of `GET /dev/health`. */
export const healthSchema: z.ZodType<Health> = z.strictObject({
  status: z
    .enum(['starting', 'ok', 'disk_low', 'refusing', 'closing'])
    .describe(
      '`ok` and `disk_low` come with status 200, all others with 503. `disk_low`: mail is accepted, but the disk of the data folder is almost full. `refusing`: new mail is refused, because the data folder cannot be written. `warnings` says why',
    ),
  version: z.string(),
  store: z.enum(['memory', 'folder', 'postgresql']).describe('Where the data is'),
  database: z
    .strictObject({
      schema: z.string(),
      search: z
        .enum(['trigrams', 'scan'])
        .describe(
          'How searches find words: by an index of trigrams, or by looking at the text of each mail, where the extension pg_trgm is missing',
        ),
      instances: z
        .int()
        .nullable()
        .describe('How many instances use the schema; null while the database does not answer'),
      round_trip_ms: z.number().nullable().describe('How long one statement took, in milliseconds'),
      // An older word for the leader; scripts may read it.
      has_turn: z
        .boolean()
        .describe('Whether this instance is the leader, which delivers and removes mail for all instances'),
      last_commit: z.int().describe('The number of the last commit that this instance knows'),
      connections: z.strictObject({ used: z.int(), idle: z.int(), waiting: z.int() }),
    })
    .optional()
    .describe('How the database is, where the data is in one'),
  smtp: smtpSchema,
  smtps: smtpSchema.optional().describe('The SMTP port that begins with TLS, where one is open'),
  url: z.string().nullable().describe('Base URL of the listener; null in process'),
  tracking_url: z
    .string()
    .nullable()
    .describe('Base URL of the addresses in tracked mail: the option `publicUrl`, else `url`'),
  counts: z
    .strictObject({
      emails: z.int(),
      domains: z.int(),
      audiences: z.int(),
      contacts: z.int(),
      templates: z.int(),
    })
    .nullable()
    .describe('How many of each kind are stored; null while the database does not answer'),
  faults: faultsSchema,
  warnings: z.array(z.string()).describe('Warnings that a person should see, in sentences'),
})
