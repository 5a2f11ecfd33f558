import { z } from 'zod'
import { sameId } from './same-id.ts'

/** Localpost has no regions, and names the provider's first one. */
export const region = 'us-east-1'

const tracking = {
  open_tracking: z.boolean().optional(),
  click_tracking: z.boolean().optional(),
}

/** The body of `POST /resend/domains`. */
export const newDomainSchema = z.strictObject({
  name: z.string().min(1),
  region: z.literal(region).optional().describe('Localpost has one region'),
  ...tracking,
})

/** The body of `PATCH /resend/domains/{id}`. */
export const domainChangesSchema = z.strictObject({ ...tracking, id: sameId })
export type ResendDomainChanges = z.infer<typeof domainChangesSchema>

const status = z.enum(['not_started', 'pending', 'verified', 'failed'])

const capability = z.enum(['enabled', 'disabled'])

const listedMembers = {
  id: z.string(),
  name: z.string(),
  status,
  created_at: z.string(),
  region: z.string(),
  capabilities: z.strictObject({ sending: capability, receiving: capability }),
}

/** A domain in the list. */
export const listedDomainSchema = z.strictObject(listedMembers)
export type ResendListedDomain = z.infer<typeof listedDomainSchema>

const detailMembers = {
  ...listedMembers,
  open_tracking: z.boolean(),
  click_tracking: z.boolean(),
  records: z.array(
    z.strictObject({
      record: z.enum(['SPF', 'DKIM']),
      name: z.string(),
      type: z.enum(['TXT', 'MX']),
      ttl: z.string(),
      status,
      value: z.string(),
      priority: z.int().optional(),
    }),
  ),
}

/** A domain that was created. */
export const createdDomainSchema = z.strictObject(detailMembers)
export type ResendDomain = z.infer<typeof createdDomainSchema>

/** A domain in detail. */
export const domainSchema = z.strictObject({ object: z.literal('domain'), ...detailMembers })

const named = { object: z.literal('domain'), id: z.string() }

/** A domain that was changed. */
export const changedDomainSchema = z.strictObject(named)

/** A domain that was removed. */
export const removedDomainSchema = z.strictObject({ ...named, deleted: z.boolean() })
