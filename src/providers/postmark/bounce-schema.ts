import { z } from 'zod'
import { bounceKinds } from './bounce-kinds.ts'
import { checkPage, pageMembers, queryName, queryTime } from './page-query.ts'

const types = Object.values(bounceKinds).map(({ Type }) => Type)

/** A bounce. */
export const bounceSchema = z.strictObject({
  RecordType: z.literal('Bounce'),
  ID: z.int(),
  Type: z.string().describe(`One of ${types.join(', ')}`),
  TypeCode: z.int(),
  Name: z.string(),
  Description: z.string(),
  Tag: z.string(),
  MessageID: z.string(),
  MessageStream: z.string(),
  Metadata: z.record(z.string(), z.string()),
  ServerID: z.int(),
  Details: z.string().describe('What the server answered, where one did'),
  Email: z.string(),
  From: z.string(),
  BouncedAt: z.string(),
  DumpAvailable: z.boolean(),
  Inactive: z.boolean().describe('Whether the address is on the suppression list now'),
  CanActivate: z.boolean(),
  Subject: z.string(),
})
export type PostmarkBounce = z.infer<typeof bounceSchema>

const text = z.string().min(1).max(1000).optional()

/** The query of the list of bounces. */
export const bounceQuery = z
  .strictObject({
    ...pageMembers,
    type: queryName(types),
    inactive: queryName(['true', 'false']),
    emailfilter: text.describe('A part of an address'),
    tag: text,
    messageid: text,
    fromdate: queryTime('start'),
    todate: queryTime('end'),
    messagestream: text,
  })
  .superRefine(checkPage)

/** @see {@link bounceQuery} */
export type BounceQuery = z.infer<typeof bounceQuery>
