import { z } from 'zod'
import type { SessionState } from './types.ts'

/** The answer of `GET /dev/session`. */
export const sessionStateSchema: z.ZodType<SessionState> = z.strictObject({
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
