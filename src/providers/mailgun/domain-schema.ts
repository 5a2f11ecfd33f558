import { z } from 'zod'
import { queryNumber } from '../../server/lists.ts'
import { notSupported } from '../not-supported.ts'

const noAddresses = notSupported('there are no IP addresses of domains')
const ignored = z.string().max(1000).optional().describe('Has no effect')

/** The body of `POST /v4/domains`. */
export const newDomainSchema = z.strictObject({
  name: z.string().min(1).max(320),
  smtp_password: ignored,
  spam_action: ignored,
  wildcard: ignored,
  force_dkim_authority: ignored,
  dkim_key_size: ignored,
  web_scheme: ignored,
  web_prefix: ignored,
  use_automatic_sender_security: ignored,
  ips: noAddresses,
  pool_id: noAddresses,
})

/** A domain. */
const domainSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  state: z.enum(['active', 'unverified']),
  type: z.literal('custom'),
  created_at: z.string(),
  smtp_login: z.string(),
  spam_action: z.literal('disabled'),
  wildcard: z.boolean(),
  is_disabled: z.boolean(),
  require_tls: z.boolean(),
  skip_verification: z.boolean(),
  web_prefix: z.string(),
  web_scheme: z.literal('http'),
})
export type MailgunDomain = z.infer<typeof domainSchema>

/** A record of a domain in DNS. */
const recordSchema = z.strictObject({
  record_type: z.enum(['TXT', 'MX']),
  name: z.string(),
  value: z.string(),
  priority: z.string().optional(),
  valid: z.enum(['valid', 'unknown']),
  is_active: z.boolean(),
  cached: z.array(z.string()),
})
export type MailgunDnsRecord = z.infer<typeof recordSchema>

/** A domain with its records. */
export const domainDetailSchema = z.strictObject({
  message: z.string().optional(),
  domain: domainSchema,
  sending_dns_records: z.array(recordSchema),
  receiving_dns_records: z.array(recordSchema),
})

/** A page of the list. */
export const domainListSchema = z.strictObject({
  total_count: z.int(),
  items: z.array(domainSchema),
})

/** The query of the list. */
export const domainQuerySchema = z.strictObject({
  limit: queryNumber(1, 1000).optional().describe('Default: 100'),
  skip: queryNumber(0).optional().describe('How many are left out. Default: 0'),
  state: z.enum(['active', 'unverified']).optional(),
  search: z.string().max(320).optional().describe('A part of the name'),
})
