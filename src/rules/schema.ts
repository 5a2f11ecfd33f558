import { z } from 'zod'
import { quote } from '../core/quote.ts'
import { maxMatchLength, readMatch } from './match.ts'
import { defaultReplyCode } from './rule.ts'
import type { Rule, RuleInput } from './types.ts'

/** Longest wait that a rule or a fault may ask for, in milliseconds. */
const maxDelayMs = 60_000

/** A time to wait, for rules and faults. */
export const delaySchema: z.ZodType<number> = z
  .int()
  .min(0)
  .max(maxDelayMs)
  .describe(`Milliseconds; at most ${maxDelayMs.toLocaleString('en-GB')}`)

/** The code of an SMTP refusal, for rules and faults. */
export const replyCodeSchema: z.ZodType<number> = z.int().min(400).max(599)

/** The text of an SMTP refusal, for rules and faults: one line, well below the 512 octets of RFC 5321. */
export const replyTextSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .max(400)
  .regex(/^[^\x00-\x1f\x7f]*$/, 'must be one line without control characters')

const match = z
  .string()
  .superRefine((text, context) => {
    const read = readMatch(text)
    if ('problem' in read)
      context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} ${read.problem}` })
  })
  .meta({
    description: 'An address, a domain, or a pattern with `*`; the first rule that matches a recipient wins',
    maxLength: maxMatchLength,
  })

const enhanced_code = z.string().regex(/^[45]\.\d{1,3}\.\d{1,3}$/, 'must be an RFC 3463 code such as "5.1.1"')

const rejection = z
  .strictObject({
    match,
    action: z.literal('reject'),
    code: replyCodeSchema.optional().describe(`Default: ${defaultReplyCode}`),
    enhanced_code: enhanced_code.optional().describe('Default: by the code'),
    text: replyTextSchema.optional().describe('The text of the reply, one line'),
  })
  .superRefine(({ code = defaultReplyCode, enhanced_code }, context) => {
    if (enhanced_code === undefined || enhanced_code.startsWith(String(code).charAt(0))) return
    const message = `must begin with ${String(code).charAt(0)}, as the code ${code} does`
    context.addIssue({ code: 'custom', path: ['enhanced_code'], message })
  })

/** What a rule does, as it is given; see {@link Rule} for what is filled in. */
export const ruleInputSchema: z.ZodType<RuleInput> = z.discriminatedUnion(
  'action',
  [
    z.strictObject({ match, action: z.literal(['accept', 'drop']) }),
    rejection,
    z.strictObject({ match, action: z.literal('delay'), delay_ms: delaySchema }),
    z.strictObject({
      match,
      action: z.literal('greylist'),
      times: z
        .int()
        .min(1)
        .max(100)
        .optional()
        .describe('How many attempts per email and recipient are answered 451. Default: 1'),
    }),
  ],
  {
    error: ({ input }) => {
      const action: unknown = Object(input).action
      const given = action === undefined ? '' : `, not ${quote(action)}`
      return `must be one of "accept", "reject", "delay", "greylist", "drop"${given}`
    },
  },
)

/** The body of `PUT /dev/rules`, and the option `rules`. */
export const rulesInputSchema: z.ZodType<RuleInput[]> = z.array(ruleInputSchema).max(1000)

const shownMatch = z.string().describe('An address, a domain, or a pattern with `*`')

/** One rule: what the recipient's server says to the recipients that `match` names. */
export const ruleSchema: z.ZodType<Rule> = z.discriminatedUnion('action', [
  z.strictObject({ match: shownMatch, action: z.literal('accept') }),
  z.strictObject({
    match: shownMatch,
    action: z.literal('drop').describe('The connection is cut, without a reply'),
  }),
  z.strictObject({
    match: shownMatch,
    action: z.literal('reject'),
    code: z.int().describe('400 to 599'),
    enhanced_code: z.string().describe('As RFC 3463 has it'),
    text: z.string().describe('The text of the reply, one line'),
  }),
  z.strictObject({
    match: shownMatch,
    action: z.literal('delay').describe('Waits before the reply, and then accepts'),
    delay_ms: z.int().describe('Milliseconds'),
  }),
  z.strictObject({
    match: shownMatch,
    action: z.literal('greylist').describe('451 4.7.1 for the first attempts, and then accepts'),
    times: z.int().describe('How many attempts per email and recipient are answered 451'),
  }),
])

/** The rules as `/dev/rules` answers them. */
export const rulesSchema: z.ZodType<Rule[]> = z.array(ruleSchema)
