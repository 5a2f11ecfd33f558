import { z } from 'zod'
import type { FaultChance, FaultRateLimit, FaultsInput, FaultsState, HttpFault, SmtpFault } from './fault.ts'
import { delaySchema, replyCodeSchema, replyTextSchema } from '../rules/schema.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const stages = ['connect', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'end'] as const

const chance = {
  count: z
    .int()
    .min(0)
    .optional()
    .describe('Only the next so many that it fits; in answers, how many are left. Default: all'),
  rate: z.number().min(0).max(1).optional().describe('Which share of them it strikes. Default: 1'),
} satisfies Record<keyof FaultChance, z.ZodType>

const http = z.strictObject({
  path: z
    .string()
    .max(1000)
    .regex(/^(?:\/v1(?:[/*]|$)|\*)/, 'must be a path of /v1, with * for any characters: faults meet no other')
    .describe('Without the query; `*` matches any characters'),
  method: z.enum(methods).optional().describe('Default: every method'),
  status: z.int().min(400).max(599).optional().describe('Answered in the shape of every error'),
  delay_ms: delaySchema.optional(),
  disconnect: z.boolean().optional().describe('Closes the connection without an answer'),
  ...chance,
})

const smtp = z.strictObject({
  stage: z.enum(stages).describe('`connect` is the greeting, `end` what follows the final dot'),
  code: replyCodeSchema.optional().describe('421 also closes the connection'),
  text: replyTextSchema.optional().describe('Of the reply, one line'),
  delay_ms: delaySchema.optional(),
  disconnect: z.boolean().optional().describe('Closes the connection without a reply'),
  ...chance,
})

const rateLimit: z.ZodType<FaultRateLimit> = z.strictObject({
  requests: z.int().min(0).describe('How many requests to `/v1` a key may make'),
  per_ms: z.int().min(1).describe('In so many milliseconds'),
})

const seed = z.int().min(0).max(0xff_ff_ff_ff)

const httpInput: z.ZodType<HttpFault> = http.superRefine((fault, context) => {
  const { status, delay_ms, disconnect } = fault
  if (status !== undefined && disconnect) context.addIssue(oneOf('status'))
  if (status === undefined && !disconnect && delay_ms === undefined) context.addIssue(nothing('status'))
})

const smtpInput: z.ZodType<SmtpFault> = smtp.superRefine((fault, context) => {
  const { code, delay_ms, disconnect, text } = fault
  if (code !== undefined && disconnect) context.addIssue(oneOf('code'))
  if (code === undefined && !disconnect && delay_ms === undefined) context.addIssue(nothing('code'))
  if (code === undefined && text !== undefined)
    context.addIssue({ code: 'custom', path: ['text'], message: 'is the text of a reply: give its code too' })
})

/** The body of `PUT /dev/faults`. */
export const faultsInputSchema: z.ZodType<FaultsInput> = z.strictObject({
  http: z
    .array(httpInput)
    .max(100)
    .optional()
    .describe('For requests to `/v1`; the first that strikes counts'),
  smtp: z.array(smtpInput).max(100).optional().describe('For submissions, never for deliveries'),
  rate_limit: rateLimit.nullable().optional(),
  seed: seed.optional().describe('Makes `rate` repeatable. Default: one is made, and shown'),
})

/** The faults as `/dev/faults` and `/dev/health` answer them: null while there are none. */
export const faultsSchema: z.ZodType<FaultsState | null> = z
  .strictObject({
    http: z.array(http),
    smtp: z.array(smtp),
    rate_limit: rateLimit.nullable(),
    seed,
  })
  .nullable()

type Issue = { code: 'custom'; path: string[]; message: string }

function oneOf(reply: string): Issue {
  return { code: 'custom', path: ['disconnect'], message: `excludes ${reply}: give one of them` }
}

function nothing(reply: string): Issue {
  return { code: 'custom', path: [], message: `does nothing: give ${reply}, delay_ms or disconnect` }
}
