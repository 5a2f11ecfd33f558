import { z } from 'zod'
import { domainStatuses, mayHaveError, verificationErrorTypes } from './domain.ts'
import { maxNameLength } from './names.ts'
import type {
  CreatedBy,
  CreatedDomain,
  DeclaredVerification,
  DnsRecord,
  DnsRecordPurpose,
  DomainData,
  DomainDetail,
  DomainListItem,
  DomainSettings,
  DomainStatus,
  DomainSummary,
  NewDomain,
  RecordCheck,
  VerificationErrorType,
  VerificationInfo,
} from './types.ts'

/** One of Amazon SES's states of an identity. */
export const domainStatusSchema: z.ZodType<DomainStatus> = z.enum(domainStatuses)
/** Why the last check found a domain not verified, in SES's words. */
export const verificationErrorTypeSchema: z.ZodType<VerificationErrorType> = z.enum(verificationErrorTypes)
const milliseconds = z.int().describe('Unix time in milliseconds')

/** The body of `POST /v1/domains`, docs/interface.md 4.5. */
export const createDomainSchema: z.ZodType<NewDomain> = z.object({
  // Only for the documentation: the code checks the whole name, in both forms.
  name: z.string().meta({
    description: `Domain name, plain or with subdomain: \`acme.com\`, \`mail.acme.com\`, in any case, with or without a trailing dot, IDN in either form; at most ${maxNameLength} characters as A-labels, without the dot at the end`,
    maxLength: maxNameLength + 1,
  }),
})

/** The same with `strict`: unknown members are refused. */
export const strictDomainSchema: z.ZodType<NewDomain> = z.strictObject({ name: z.string() })

/** The members that `PATCH /dev/domains/{id}` may change. */
export const domainSettingsSchema: z.ZodType<DomainSettings> = z.strictObject({
  open_tracking_enabled: z.boolean().optional().describe('Whether HTML mail gets a tracking pixel'),
  click_tracking_enabled: z.boolean().optional().describe('Whether links in HTML mail are rewritten'),
  is_warmed_up: z.boolean().optional().describe('True also sets `warmed_up_at` to now, false to null'),
})

const cause = verificationErrorTypeSchema
  .optional()
  .describe('Why it is not verified; only with PENDING, FAILED or TEMPORARY_FAILURE')

/** A state declared by hand, instead of a look-up in DNS. */
export const declaredVerificationSchema: z.ZodType<DeclaredVerification> = z.strictObject({
  status: domainStatusSchema,
  error_type: cause,
})

/** The body of `POST /dev/domains/{id}/verify`: without `status`, the records are looked up in DNS. */
export const verifyInputSchema: z.ZodType<Partial<DeclaredVerification>> = z
  .strictObject({
    status: domainStatusSchema
      .optional()
      .describe('The state to declare; absent: look the records up in DNS now'),
    error_type: cause,
  })
  .refine(
    ({ status, error_type }) => error_type === undefined || (status !== undefined && mayHaveError[status]),
    {
      path: ['error_type'],
      error: 'goes only with a `status` of PENDING, FAILED or TEMPORARY_FAILURE',
    },
  )

/** The purpose of a DNS record. */
export const dnsRecordPurposeSchema: z.ZodType<DnsRecordPurpose> = z.enum([
  'DKIM',
  'MAIL FROM domain',
  'DMARC (highly recommended)',
])
const purpose = dnsRecordPurposeSchema.describe('What the record is for')

const recordMembers = {
  name: z.string().describe('Host name relative to the registrable domain'),
  value: z.string().describe('Content of the record'),
  required: z.boolean().describe('False for DMARC, true for the others'),
  for: purpose,
}

/** One record that the owner of a domain publishes, docs/interface.md 2.5. */
export const dnsRecordSchema: z.ZodType<DnsRecord> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('TXT'), ...recordMembers }),
  z.strictObject({ type: z.literal('MX'), ...recordMembers, priority: z.int() }),
])

/** The answer to the creation of a domain, docs/interface.md 4.5. */
export const createdDomainSchema: z.ZodType<CreatedDomain> = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: domainStatusSchema,
  dns_records: z
    .array(dnsRecordSchema)
    .describe('The records to publish, so that the domain can be verified'),
})

const accountMembers = {
  email: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  profile_picture: z
    .string()
    .describe('URL of a picture; by default a small `data:` URL, so that nothing is fetched'),
}

/** The creator of a domain or audience in answers. */
export const createdBySchema: z.ZodType<CreatedBy> = z.strictObject(accountMembers)

const isoTime = z.iso.datetime({ precision: 3 }).describe('ISO 8601 in UTC with milliseconds')

/** The results of the checks of a domain; `{}` before the first. */
export const verificationInfoSchema: z.ZodType<VerificationInfo> = z.strictObject({
  last_checked_timestamp: isoTime.optional(),
  last_success_timestamp: isoTime.optional(),
  error_type: verificationErrorTypeSchema
    .optional()
    .describe('Why the last check failed; absent if it did not'),
  soa_record: z
    .strictObject({ primary_name_server: z.string(), admin_email: z.string(), serial_number: z.int() })
    .optional()
    .describe('The start of authority of the zone'),
})

const stateMembers = {
  name: z.string().describe('Domain name, lower case, IDN as A-labels'),
  status: domainStatusSchema,
  verified_for_sending_status: z.boolean().describe('True only while `status` is SUCCESS'),
  verification_info: verificationInfoSchema,
}
const warmUpMembers = {
  created: milliseconds,
  is_warmed_up: z.boolean(),
  warmed_up_at: milliseconds.nullable().describe('Unix time in milliseconds; null when not warmed up'),
}
const trackingMembers = { open_tracking_enabled: z.boolean(), click_tracking_enabled: z.boolean() }

const listMembers = {
  id: z.string(),
  ...stateMembers,
  public_key: z.string().describe('DKIM public key: base64 of the SubjectPublicKeyInfo'),
  dns_records: z.array(dnsRecordSchema),
  ...warmUpMembers,
}

/** A domain in a list, docs/interface.md 2.4. */
export const domainListItemSchema: z.ZodType<DomainListItem> = z.strictObject({
  ...listMembers,
  created_by: createdBySchema,
})

/** A domain in detail, docs/interface.md 2.4. */
export const domainDetailSchema: z.ZodType<DomainDetail> = z.strictObject({
  ...listMembers,
  created_by: z.strictObject({ ...accountMembers, type: z.literal('user') }),
  ...trackingMembers,
})

/** The members of a domain in its events. Its DNS records and keys are not included: request them by the id. */
export const domainDataSchema: z.ZodType<DomainData> = z.strictObject({
  domain_id: z.string(),
  ...stateMembers,
  ...warmUpMembers,
  ...trackingMembers,
})

/** A domain in the list of `/dev/domains`. */
export const domainSummarySchema: z.ZodType<DomainSummary> = z.strictObject({
  id: z.string(),
  name: z.string().describe('Domain name, lower case, IDN as A-labels'),
  status: domainStatusSchema,
  created: milliseconds,
  is_created: z.boolean().describe('False for a domain that only mail mentioned'),
})

/** The result of looking up one of a domain's records. */
export const recordCheckSchema: z.ZodType<RecordCheck> = z.strictObject({
  type: z.enum(['TXT', 'MX']),
  name: z.string().describe('The whole name that was asked for'),
  for: purpose,
  required: z.boolean().describe('Whether the status of the domain depends on it'),
  expected: z.string().describe('The value to publish; of an MX with its priority in front'),
  found: z.array(z.string()).describe('What is published under this name and type'),
  verdict: z
    .enum(['ok', 'missing', 'wrong', 'error'])
    .describe('`missing`: nothing there; `error`: DNS could not be asked'),
  error_type: verificationErrorTypeSchema.nullable().describe('Null if the verdict is ok'),
  message: z.string().nullable().describe('What is wrong, in words; null if the verdict is ok'),
})
