import { isIP } from 'node:net'
import { z } from 'zod'
import { eventStatuses } from './events.ts'
import { bounceSubtypeSchema, bounceTypeSchema } from './event-schema.ts'
import type { AddedEvent } from './types.ts'

const link = z
  .string()
  .max(8000)
  .refine((text) => /^https?:/i.test(text) && URL.canParse(text), 'must be an http(s) URL')

/** The body of `POST /dev/emails/{id}/events`. Members that the status does not have are ignored. */
export const addedEventSchema: z.ZodType<AddedEvent> = z
  .strictObject({
    recipient: z.string().min(1).max(1000).describe('One of the email’s recipients, in any case'),
    status: z.enum(eventStatuses).exclude(['sent']),
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
    type: bounceTypeSchema.optional().describe('Of a bounce. Default: that of the subtype, or Permanent'),
    subtype: bounceSubtypeSchema
      .optional()
      .describe('Of a bounce. Default: General, of Undetermined the same'),
  })
  .meta({
    example: { recipient: 'ada@example.com', status: 'bounced', type: 'Transient', subtype: 'MailboxFull' },
  })
