import { z } from 'zod'
import type { Broadcast, BroadcastRequest } from './broadcast.ts'

/** The body of `POST /dev/broadcasts`. */
export const broadcastRequestSchema: z.ZodType<BroadcastRequest> = z
  .object({
    audience_id: z.string().min(1),
    from: z.string().min(1).describe('Sender, display name plus address form'),
    subject: z.string(),
    html: z.string().optional(),
    text: z.string().optional(),
  })
  .meta({
    description:
      '`{{first_name}}`, `{{last_name}}` and `{{email}}` are filled in; one of `html` and `text` must not be empty.',
  })

/** The answer to it. */
export const broadcastSchema: z.ZodType<Broadcast> = z.strictObject({
  id: z.string().describe('Stands as a tag on each of its emails'),
  email_ids: z.array(z.string()),
  count: z.int(),
})
