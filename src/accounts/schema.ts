import { z } from 'zod'
import { quote } from '../core/quote.ts'
import type { AccountChanges, AccountInfo, AccountInput, CreatedAccount, RenewedPassword } from './types.ts'

/** The account of callers that name no account. It always exists. */
export const defaultAccount = 'default'

const name = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/, {
    error: ({ input }) =>
      `must be lower-case letters, digits, dots, hyphens and underscores, with a letter or digit at both ends, not ${quote(input)}`,
  })

const yearMs = 365 * 24 * 60 * 60 * 1000

const limits = {
  ttl_ms: z
    .int()
    .min(1000)
    .max(yearMs)
    .nullable()
    .optional()
    .describe('The account is removed with all its data this long after its last use; null: never'),
  max_emails: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .nullable()
    .optional()
    .describe('How many emails are kept; null: as many as the option `maxEmails` says'),
  max_age_ms: z
    .int()
    .min(1)
    .max(100 * yearMs)
    .nullable()
    .optional()
    .describe('How long emails are kept; null: according to the option `maxAgeMs`'),
}

/** An account to create: the body of `POST /dev/accounts`. */
export const accountInputSchema: z.ZodType<AccountInput> = z.strictObject({
  name: name.optional().describe('Also the user name over SMTP; default: a new name'),
  ...limits,
})

/** The members to change: the body of `PATCH /dev/accounts/{name}`. */
export const accountChangesSchema: z.ZodType<AccountChanges> = z.strictObject({
  ...limits,
  is_disabled: z
    .boolean()
    .optional()
    .describe('A disabled account takes no mail and answers nothing; its data is kept'),
})

const infoMembers = {
  id: z.string().describe('`acc_…`; of the account that is always there: `default`'),
  name: z.string(),
  created: z.int().describe('Unix time in milliseconds; of `default`: when this instance began'),
  ttl_ms: z.int().nullable(),
  expires: z.int().nullable().describe('When it is removed unless it is used before; null: never'),
  max_emails: z.int().nullable(),
  max_age_ms: z.int().nullable(),
  is_disabled: z.boolean(),
  counts: z.strictObject({ emails: z.int(), unread: z.int() }),
}

/** An account as `/dev/accounts` answers it. */
export const accountInfoSchema: z.ZodType<AccountInfo> = z.strictObject(infoMembers)

const smtpSchema = z.strictObject({
  host: z.string(),
  port: z.int(),
  username: z.string(),
  password: z.string(),
})

/** The answer to `POST /dev/accounts/{name}/smtp-password`: what apps need to submit mail, which no other answer has. */
export const renewedPasswordSchema: z.ZodType<RenewedPassword> = z.strictObject({ smtp: smtpSchema })

/** The answer to `POST /dev/accounts`: the account, and what apps need to use it, which no other answer has. */
export const createdAccountSchema: z.ZodType<CreatedAccount> = z.strictObject({
  ...infoMembers,
  api_key: z.string().describe('Of scope `full`, for `/v1`, `/dev` and as the password over SMTP'),
  smtp: smtpSchema,
})
