import { z } from 'zod'
import { faultsSchema } from '../faults/schema.ts'
import type { LoggedRequest } from './types.ts'

const smtpSchema = z.strictObject({ host: z.string(), port: z.int() })
const submissionSchema = smtpSchema.extend({
  starttls: z.boolean().describe('Whether STARTTLS is offered'),
  login: z
    .enum(['optional', 'required'])
    .describe(
      'Whether clients must log in; the password is an API key. It holds for the port of `smtps` too',
    ),
})

/** The answer of `GET /dev/health`. */
export type Health = z.infer<typeof healthSchema>

export const healthSchema = z.strictObject({
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
  smtp: submissionSchema,
  smtps: smtpSchema.optional().describe('The SMTP port that begins with TLS, where one is open'),
  ca: z
    .strictObject({
      file: z
        .string()
        .nullable()
        .describe('The file with it, on the machine of the server; null if it is only in memory'),
    })
    .nullable()
    .describe(
      'The authority (CA) of the certificate that Localpost made for SMTP, which `GET /dev/ca.pem` answers; null without such a certificate',
    ),
  url: z.string().nullable().describe('Base URL of the listener; null in process'),
  tracking_url: z
    .string()
    .nullable()
    .describe('Base URL of the addresses in tracked mail: the option `publicUrl`, else `url`'),
  trace_url: z
    .string()
    .nullable()
    .describe('The page of a trace, with `{trace_id}` for its id: the option `traceUrl`'),
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
  relay: z.boolean().describe('Whether mail can be released to real addresses: there is a relay'),
  silent_connections: z
    .strictObject({
      count: z.int().describe('At most 100'),
      last: z.int().describe('When the last one began: Unix time in milliseconds'),
    })
    .nullable()
    .describe(
      'Connections to the HTTP port that sent nothing for three seconds or longer, where no mail came after them. An SMTP client at the wrong port waits like this for a greeting; browsers open such connections too',
    ),
  warnings: z.array(z.string()).describe('Warnings that a person should see, in sentences'),
})

/** One request to `/v1`, or send of the library, as `/dev/requests` shows it. Keys are masked everywhere. */
export const loggedRequestSchema: z.ZodType<LoggedRequest> = z.strictObject({
  id: z.string(),
  source: z
    .enum(['http', 'library'])
    .describe('How it came; a send of the library is logged as the same request'),
  timestamp: z.int().describe('Unix time in milliseconds'),
  method: z.string().describe('`TLS`, `SMTP` or `HTTP` where a client spoke the wrong protocol to the port'),
  path: z.string().describe('With its query; `""` for another protocol'),
  status: z.int().describe('0 if an injected fault closed the connection'),
  duration_ms: z.number(),
  api_key: z.string().nullable().describe('The first characters of the key'),
  warnings: z.array(z.string()).describe('Problems of a request that was accepted'),
  request_body: z.string().nullable().describe('At most 16 KiB; null if none was read'),
  response_body: z.string().nullable().describe('At most 16 KiB'),
})

/** The answer of `GET /dev/session`. */
export type SessionState = z.infer<typeof sessionStateSchema>

export const sessionStateSchema = z.strictObject({
  caller: z
    .enum(['local', 'key', 'user', 'none'])
    .describe(
      '`local`: on this machine, no sign-in is needed. `key`, `user`: signed in with an API key, with a password, or with an OpenID provider. `none`: not signed in',
    ),
  name: z.string().nullable().describe('Of the user; null otherwise'),
  role: z.enum(['admin', 'member']).nullable().describe('Of the user; null otherwise'),
  accounts: z.array(z.string()).nullable().describe('Names of the accounts of the user; null otherwise'),
  scope: z.enum(['full', 'send', 'read']).nullable().describe('Of the API key; null otherwise'),
  provider: z
    .string()
    .nullable()
    .describe('Host of the OpenID provider that the user signed in with; null otherwise'),
  password: z.boolean().describe('Whether users can sign in with a password'),
  oidc: z
    .string()
    .nullable()
    .describe(
      'Host of the OpenID provider with which users can sign in at `/dev/oidc/start`; null without one',
    ),
})

/** A provider whose API this instance has. In `variables` and `code`, `{url}` and `{key}` stand for those of the instance. */
export type ProviderInfo = z.infer<typeof providerInfoSchema>

export const providerInfoSchema = z.strictObject({
  name: z.string().describe('Such as `resend`'),
  title: z.string().describe('As the provider writes it'),
  path: z.string().describe('The beginning of its paths'),
  variables: z.record(z.string(), z.string()).describe('Variables that its SDKs read'),
  code: z.string().describe('A program in JavaScript that sends with its SDK'),
})
