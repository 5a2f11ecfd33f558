import { z } from 'zod'
import type {
  FaultChance,
  FaultRateLimit,
  FaultsInput,
  FaultsState,
  HttpFault,
  HttpFaultMethod,
  SmtpFault,
  SmtpStage,
} from './types.ts'
import { delaySchema, replyCodeSchema, replyTextSchema } from '../rules/schema.ts'

/** The methods that a fault can name. */
export const httpFaultMethodSchema: z.ZodType<HttpFaultMethod> = z.enum([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
])

/** A step of an SMTP submission: `connect` is the greeting, `ehlo` also HELO, `end` what follows the final dot. */
export const smtpStageSchema: z.ZodType<SmtpStage> = z.enum([
  'connect',
  'ehlo',
  'auth',
  'mail',
  'rcpt',
  'data',
  'end',
])

const chance = {
  count: z
    .int()
    .min(0)
    .optional()
    .describe('The number of matching requests or commands; in answers, how many are left. Default: all'),
  rate: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('The share of those that it applies to; the seed selects which ones. Default: 1'),
}

/** When a fault applies. */
export const faultChanceSchema: z.ZodType<FaultChance> = z.strictObject(chance)

const delay = delaySchema.optional().describe('Waits first: milliseconds, at most 60,000')

/** A failure of requests to `/v1` and to the APIs of providers: `status`, `disconnect`, or only a delay. */
export const httpFaultSchema: z.ZodType<HttpFault> = z.strictObject({
  path: z
    .string()
    .max(1000)
    .describe(
      'A path of `/v1` or of the API of a provider, such as `/resend/emails`, without the query; `*` matches any characters',
    ),
  method: httpFaultMethodSchema.optional().describe('Default: every method'),
  status: z.int().min(400).max(599).optional().describe('The status of the error answer'),
  delay_ms: delay,
  disconnect: z.boolean().optional().describe('Closes the connection without an answer'),
  ...chance,
})

/** A failure of submissions: `code`, `disconnect`, or only a delay. */
export const smtpFaultSchema: z.ZodType<SmtpFault> = z.strictObject({
  stage: smtpStageSchema.describe('`connect` is the greeting, `end` what follows the final dot'),
  code: replyCodeSchema.optional().describe('400 to 599; 421 also closes the connection'),
  text: replyTextSchema.optional().describe('The text of the reply, one line'),
  delay_ms: delay,
  disconnect: z.boolean().optional().describe('Closes the connection without a reply'),
  ...chance,
})

/** How many requests to `/v1` and to the APIs of providers a key may make in a period. */
export const faultRateLimitSchema: z.ZodType<FaultRateLimit> = z.strictObject({
  requests: z.int().min(0).describe('How many requests to `/v1` and to the APIs of providers a key may make'),
  per_ms: z.int().min(1).describe('The length of the period in milliseconds'),
})

const seed = z.int().min(0).max(0xff_ff_ff_ff)

const httpInput: z.ZodType<HttpFault> = httpFaultSchema.superRefine((fault, context) => {
  const { status, delay_ms, disconnect } = fault
  if (status !== undefined && disconnect) context.addIssue(excludes('status'))
  if (status === undefined && !disconnect && delay_ms === undefined) context.addIssue(doesNothing('status'))
})

const smtpInput: z.ZodType<SmtpFault> = smtpFaultSchema.superRefine((fault, context) => {
  const { code, delay_ms, disconnect, text } = fault
  if (code !== undefined && disconnect) context.addIssue(excludes('code'))
  if (code === undefined && !disconnect && delay_ms === undefined) context.addIssue(doesNothing('code'))
  if (code === undefined && text !== undefined)
    context.addIssue({ code: 'custom', path: ['text'], message: 'is the text of a reply: give its code too' })
})

/** The faults to set: the body of `PUT /dev/faults`. */
export const faultsInputSchema: z.ZodType<FaultsInput> = z.strictObject({
  http: z
    .array(httpInput)
    .max(100)
    .optional()
    .describe('For requests to `/v1` and to the APIs of providers; the first that applies counts'),
  smtp: z.array(smtpInput).max(100).optional().describe('For submissions, never for deliveries'),
  rate_limit: faultRateLimitSchema.nullable().optional(),
  seed: seed
    .optional()
    .describe('The same seed selects the same requests and commands. Default: a random one, which is shown'),
})

/** The faults with the counts that are left. */
export const faultsStateSchema: z.ZodType<FaultsState> = z.strictObject({
  http: z.array(httpFaultSchema),
  smtp: z.array(smtpFaultSchema),
  rate_limit: faultRateLimitSchema.nullable(),
  seed,
})

/** The faults as `/dev/faults` and `/dev/health` answer them: null while there are none. */
export const faultsSchema: z.ZodType<FaultsState | null> = faultsStateSchema.nullable()

type Issue = { code: 'custom'; path: string[]; message: string }

function excludes(reply: string): Issue {
  return { code: 'custom', path: ['disconnect'], message: `excludes ${reply}: give one of them` }
}

function doesNothing(reply: string): Issue {
  return { code: 'custom', path: [], message: `does nothing: give ${reply}, delay_ms or disconnect` }
}
