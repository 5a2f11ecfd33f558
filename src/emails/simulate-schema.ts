import { isIP } from 'node:net'
import { z } from 'zod'
import type { AddedEvent } from './added-event.ts'
import { bounceSubtype, bounceType } from './schema.ts'

const statuses: { [Status in AddedEvent['status']]: Status } = {
  delivered: 'delivered',
  opened: 'opened',
  clicked: 'clicked',
  bounced: 'bounced',
  delivery_delayed: 'delivery_delayed',
  complained: 'complained',
  failed: 'failed',
}

const link = z
  .string()
  .max(8000)
  .refine((text) => /^https?:/i.test(text) && URL.canParse(text), 'must be an http(s) URL')

/** What {@link AddedEvent} says, for the server and the library. */
export const addedEventSchema: z.ZodType<AddedEvent> = z
  .object({
    recipient: z.string().min(1).max(1000).describe('One of the email’s recipients'),
    status: z.enum(statuses),
    timestamp: z.int().min(0).optional().describe('Unix time in milliseconds. Default: now'),
    ip: z
      .string()
      .refine((text) => isIP(text) > 0, 'must be an IP address')
      .optional()
      .describe('Of an opening or click. Default: 127.0.0.1'),
    user_agent: z
      .string()
      .max(512)
      .regex(/^[^\x00-\x1f\x7f]*$/, 'must not have control characters')
      .optional()
      .describe('Of an opening or click. Default: Localpost'),
    link: link.optional().describe('Of a click, and required there'),
    type: bounceType.optional().describe('Of a bounce. Default: that of the subtype, or Permanent'),
    subtype: bounceSubtype.optional().describe('Of a bounce. Default: General'),
  })
  .meta({
    example: { recipient: 'ada@example.com', status: 'bounced', type: 'Transient', subtype: 'MailboxFull' },
  })
