import { z } from 'zod'

/** An address of the envelope. */
const pathSchema = z.strictObject({
  Relays: z.null(),
  Mailbox: z.string(),
  Domain: z.string(),
  Params: z.string(),
})
export type Path = z.infer<typeof pathSchema>

/** A message, or a part of one. */
const contentSchema = z.strictObject({
  Headers: z
    .record(z.string(), z.array(z.string()))
    .describe('The header fields by their names as written; encoded words are not decoded'),
  Body: z
    .string()
    .describe(
      'As it is in the message, so base64 and quoted-printable are not decoded; `""` for a multipart in a multipart',
    ),
  Size: z.int().describe('In characters'),
  MIME: z
    .strictObject({ Parts: z.array(z.record(z.string(), z.unknown())) })
    .nullable()
    .describe('The parts of a multipart, each with the members of a message; null for any other'),
})
export type Content = z.infer<typeof contentSchema>

/** A message. */
export const messageSchema = z.strictObject({
  ID: z.string(),
  From: pathSchema,
  To: z.array(pathSchema).describe('The recipients of the envelope'),
  Content: contentSchema,
  Created: z.string().describe('Arrival: ISO 8601 in UTC'),
  MIME: z
    .strictObject({ Parts: z.array(contentSchema) })
    .nullable()
    .describe('The parts of a multipart; null for any other message'),
  Raw: z.strictObject({
    From: z.string(),
    To: z.array(z.string()),
    Data: z.string().describe('The source of the message'),
    Helo: z.string().describe('Always `""`: it is not kept with the message'),
  }),
})
export type Message = z.infer<typeof messageSchema>

/** A page of messages. */
export const pageSchema = z.strictObject({
  total: z.int().describe('All messages, or all matches'),
  count: z.int().describe('Those of this answer'),
  start: z.int(),
  items: z.array(messageSchema),
})
export type Page = z.infer<typeof pageSchema>
