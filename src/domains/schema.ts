import { z } from 'zod'
import {
  type Account,
  type CreatedDomain,
  type DeclaredVerification,
  type DnsRecord,
  type DomainDetail,
  type DomainListItem,
  domainStatuses,
  type DomainSettings,
  type DomainStatus,
  type NewDomain,
  type RecordCheck,
  type VerificationInfo,
  verificationErrorTypes,
} from './domain.ts'

const status = z.enum(domainStatuses)
const errorType = z.enum(verificationErrorTypes)
const milliseconds = z.int().describe('Unix time in milliseconds')

/** The body of `POST /v1/domains`. */
export const createDomainSchema: z.ZodType<NewDomain> = z.object({
  // Only said here: the name itself is checked as a whole, in either form.
  name: z.string().meta({
    description:
      'Domain name, plain or with subdomain: `acme.com`, `mail.acme.com`; at most 253 characters as A-labels, without the dot at the end',
    maxLength: 254,
  }),
})

/** The same with `strict`: unknown members are refused. */
export const strictDomainSchema: z.ZodType<NewDomain> = z.strictObject({ name: z.string() })

/** The body of `PATCH /dev/domains/{id}`. */
export const domainSettingsSchema: z.ZodType<DomainSettings> = z.strictObject({
  open_tracking_enabled: z.boolean().optional().describe('Whether HTML mail gets a tracking pixel'),
  click_tracking_enabled: z.boolean().optional().describe('Whether links in HTML mail are rewritten'),
  is_warmed_up: z.boolean().optional().describe('True also sets `warmed_up_at` to now, false to null'),
})

/** The body of `POST /dev/domains/{id}/verify`: without `status`, the records are looked up in DNS. */
export const declaredVerificationSchema: z.ZodType<Partial<DeclaredVerification>> = z
  .strictObject({
    status: status.optional().describe('The state to declare; absent: look the records up in DNS now'),
    error_type: errorType
      .optional()
      .describe('Why it is not verified; only with PENDING, FAILED or TEMPORARY_FAILURE'),
  })
  .refine(({ status, error_type }) => error_type === undefined || (status !== undefined && mayFail[status]), {
    path: ['error_type'],
    error: 'goes only with a `status` of PENDING, FAILED or TEMPORARY_FAILURE',
  })

const mayFail: Readonly<Record<DomainStatus, boolean>> = {
  NOT_STARTED: false,
  PENDING: true,
  SUCCESS: false,
  FAILED: true,
  TEMPORARY_FAILURE: true,
}

const purpose = z
  .enum(['DKIM', 'MAIL FROM domain', 'DMARC (highly recommended)'])
  .describe('What the record is for')

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

/** The answer to `POST /v1/domains`. */
export const createdDomainSchema: z.ZodType<CreatedDomain> = z.strictObject({
  id: z.string(),
  name: z.string(),
  status,
  dns_records: z
    .array(dnsRecordSchema)
    .describe('The records to publish, so that the domain can be verified'),
})

const accountMembers = {
  email: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  profile_picture: z.string().describe('URL of a picture'),
}

/** Who made a domain (in the list) or an audience. */
export const accountSchema: z.ZodType<Account> = z.strictObject(accountMembers)

const isoTime = z.iso.datetime({ precision: 3 }).describe('ISO 8601 in UTC with milliseconds')

/** What the checks of a domain found; empty before the first. */
export const verificationInfoSchema: z.ZodType<VerificationInfo> = z.strictObject({
  last_checked_timestamp: isoTime.optional(),
  last_success_timestamp: isoTime.optional(),
  error_type: errorType.optional().describe('Why the last check failed; absent where it did not'),
  soa_record: z
    .strictObject({ primary_name_server: z.string(), admin_email: z.string(), serial_number: z.int() })
    .optional()
    .describe('The start of authority of the zone'),
})

const listMembers = {
  id: z.string(),
  name: z.string().describe('Domain name, lower case, IDN as A-labels'),
  status,
  verified_for_sending_status: z.boolean().describe('True only while `status` is SUCCESS'),
  verification_info: verificationInfoSchema,
  public_key: z.string().describe('DKIM public key: base64 of the SubjectPublicKeyInfo'),
  dns_records: z.array(dnsRecordSchema),
  created: milliseconds,
  is_warmed_up: z.boolean(),
  warmed_up_at: milliseconds.nullable().describe('Unix time in milliseconds; null when not warmed up'),
}

/** An item of `GET /v1/domains`. */
export const domainListItemSchema: z.ZodType<DomainListItem> = z.strictObject({
  ...listMembers,
  created_by: accountSchema,
})

/** The answer to `GET /v1/domains/{id}`. */
export const domainDetailSchema: z.ZodType<DomainDetail> = z.strictObject({
  ...listMembers,
  created_by: z.strictObject({ ...accountMembers, type: z.literal('user') }),
  open_tracking_enabled: z.boolean(),
  click_tracking_enabled: z.boolean(),
})

/** One entry of the answer to `GET /dev/domains/{id}/records`. */
export const recordCheckSchema: z.ZodType<RecordCheck> = z.strictObject({
  type: z.enum(['TXT', 'MX']),
  name: z.string().describe('The whole name that was asked for'),
  for: purpose,
  required: z.boolean().describe('Whether the status of the domain depends on it'),
  expected: z.string().describe('The value to publish; of an MX with its priority in front'),
  found: z.array(z.string()).describe('What is published under this name and type'),
  verdict: z.enum(['ok', 'missing', 'wrong', 'error']),
  error_type: errorType.nullable().describe('Null where the verdict is ok'),
  message: z.string().nullable().describe('What is wrong, in words; null where the verdict is ok'),
})
