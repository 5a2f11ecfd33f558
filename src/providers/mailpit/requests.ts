import { z } from 'zod'
import { isRecord } from '../../core/members.ts'
import { queryNumber } from '../../server/query-values.ts'

/**
 * The schema of an object in a request. As for Mailpit, the case of names does not matter and null counts as absent.
 * Unlike there, an unknown member is refused: `{"Id": [...]}` would otherwise select every message.
 */
export function anyCase<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodType<z.output<z.ZodObject<Shape, z.core.$strict>>> {
  const names = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]))
  return z.preprocess((given) => {
    if (!isRecord(given)) return given
    const entries = Object.entries(given).filter(([, value]) => value !== null)
    const written = new Set(entries.map(([name]) => name))
    return Object.fromEntries(
      entries.map(([name, value]) => {
        const known = names.get(name.toLowerCase())
        return [known === undefined || written.has(known) ? name : known, value]
      }),
    )
  }, z.strictObject(shape))
}

const ids = z.array(z.string().max(100)).max(10_000)

/** The most messages of one answer. */
export const maxMessages = 10_000

/** A parameter that counts as absent where it is empty, as for Mailpit. */
export function absentIfEmpty<T>(schema: z.ZodType<T>): z.ZodOptional<z.ZodType<T | undefined>> {
  return z.preprocess((given) => (given === '' ? undefined : given), schema.optional()).optional()
}

const tz = absentIfEmpty(z.string().max(100)).describe(
  'Time zone of `before:` and `after:`, such as `Europe/Berlin`. Default: that of the server',
)
const longText = z.string().max(20_000)
const query = longText.describe('A search of Mailpit: words, `"phrases"`, `from:`, `subject:`, …')

const page = {
  start: absentIfEmpty(queryNumber(0)).describe('Position of the first message. Default: 0'),
  limit: absentIfEmpty(queryNumber(0, maxMessages)).describe('How many messages. Default: 50'),
  before: absentIfEmpty(z.string().max(100)).describe('Only messages that arrived before this date'),
}

const match = { query: query.optional(), tz }

export const listQuery = z.strictObject(page)
export const searchQuery = z.strictObject({ ...page, ...match })
export const matchQuery = z.strictObject(match)
export const rawQuery = z.strictObject({ ...match, dl: z.literal('1').optional().describe('As a download') })
const flag = z.enum(['true', 'false', '1', '0'])
export const linkCheckQuery = z.strictObject({
  ...match,
  follow: flag.optional().describe('Redirects are always followed, at most five'),
})
export const zoneQuery = z.strictObject({ tz })

export const idsBody: z.ZodType<{ IDs?: string[] }> = anyCase({ IDs: ids.optional() })
export const readStatusBody: z.ZodType<{ Read?: boolean; IDs?: string[]; Search?: string }> = anyCase({
  Read: z.boolean().optional(),
  IDs: ids.optional(),
  Search: query.optional(),
})
export const tagsBody: z.ZodType<{ Tags?: string[]; IDs?: string[] }> = anyCase({
  Tags: z.array(z.string().max(100)).max(100).optional(),
  IDs: ids.optional(),
})
export const renameBody: z.ZodType<{ Name: string }> = anyCase({ Name: z.string().min(1).max(100) })
export const releaseBody: z.ZodType<{ To: string[] }> = anyCase({
  To: z.array(z.string().max(1000)).min(1).max(100),
})

const trigger = anyCase({
  ErrorCode: z.union([z.literal(0), z.int().min(400).max(599)]).optional(),
  Probability: z.int().min(0).max(100).optional(),
}).optional()
export type TriggerInput = z.output<typeof trigger>
export const chaosBody = anyCase({ Sender: trigger, Recipient: trigger, Authentication: trigger })
