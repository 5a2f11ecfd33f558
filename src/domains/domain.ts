import type { Collection, StoredRecord } from '../store/store.ts'

/** Amazon SES's states of an identity. */
export const domainStatuses = ['NOT_STARTED', 'PENDING', 'SUCCESS', 'FAILED', 'TEMPORARY_FAILURE'] as const
/** One of {@link domainStatuses}. */
export type DomainStatus = (typeof domainStatuses)[number]

/** Why the last check found a domain not verified, in SES's words. */
export const verificationErrorTypes = [
  'HOST_NOT_FOUND',
  'TYPE_NOT_FOUND',
  'INVALID_VALUE',
  'DNS_SERVER_ERROR',
  'SERVICE_ERROR',
] as const
/** One of {@link verificationErrorTypes}. */
export type VerificationErrorType = (typeof verificationErrorTypes)[number]

/** One record that the owner publishes, docs/interface.md 2.5; `name` is relative to the registrable domain. */
export type DnsRecord =
  | { type: 'TXT'; name: string; value: string; required: boolean; for: DnsRecordPurpose }
  | { type: 'MX'; name: string; value: string; priority: number; required: boolean; for: DnsRecordPurpose }

export type DnsRecordPurpose = 'DKIM' | 'MAIL FROM domain' | 'DMARC (highly recommended)'

/** `{}` until the first check; `error_type` is absent where nothing failed. */
export interface VerificationInfo {
  /** ISO 8601 in UTC with milliseconds. */
  last_checked_timestamp?: string
  /** ISO 8601 in UTC with milliseconds. */
  last_success_timestamp?: string
  error_type?: VerificationErrorType
  soa_record?: { primary_name_server: string; admin_email: string; serial_number: number }
}

/** Whom the interface names as the maker of a domain or audience. */
export interface Account {
  email: string
  first_name: string | null
  last_name: string | null
  /** URL; by default a small `data:` URL, so that nothing is fetched. */
  profile_picture: string
}

/** A domain as stored. */
export interface DomainRecord extends StoredRecord {
  name: string
  status: DomainStatus
  created: number
  /** False for a name that only mail mentioned: it counts as verified and shares one key, until it is created. */
  registered: boolean
  /** When the owner began to ask for verification: Unix time in milliseconds; null before. */
  verification_started: number | null
  verification_info: VerificationInfo
  /** Its own DKIM key; null while it shares the instance's. */
  dkim: DkimKey | null
  is_warmed_up: boolean
  warmed_up_at: number | null
  open_tracking_enabled: boolean
  click_tracking_enabled: boolean
}

export interface DkimKey {
  selector: string
  /** PKCS#8 in PEM. */
  private_key: string
  /** Base64 of the SubjectPublicKeyInfo in DER. */
  public_key: string
}

export const domainCollection: Collection<DomainRecord> = {
  name: 'domains',
  indexes: { name: { on: ['name'], unique: true } },
}

/** A domain in a list, docs/interface.md 2.4. */
export interface DomainListItem {
  id: string
  name: string
  status: DomainStatus
  verified_for_sending_status: boolean
  verification_info: VerificationInfo
  public_key: string
  dns_records: DnsRecord[]
  created: number
  is_warmed_up: boolean
  warmed_up_at: number | null
  created_by: Account
}

/** A domain in detail, docs/interface.md 2.4. */
export interface DomainDetail extends Omit<DomainListItem, 'created_by'> {
  created_by: Account & { type: 'user' }
  open_tracking_enabled: boolean
  click_tracking_enabled: boolean
}

/** The answer to the creation of a domain, docs/interface.md 4.5. */
export interface CreatedDomain {
  id: string
  name: string
  status: DomainStatus
  dns_records: DnsRecord[]
}

/** The body of `POST /v1/domains`, docs/interface.md 4.5. */
export interface NewDomain {
  /** In any case, with or without a trailing dot, IDN in either form. */
  name: string
}

/** What `PATCH /dev/domains/{id}` may change. */
export interface DomainSettings {
  open_tracking_enabled?: boolean
  click_tracking_enabled?: boolean
  is_warmed_up?: boolean
}

/** A state declared by hand, instead of a look-up in DNS. */
export interface DeclaredVerification {
  status: DomainStatus
  error_type?: VerificationErrorType
}

/** What a look-up found of one of a domain's records. */
export interface RecordCheck {
  type: DnsRecord['type']
  /** The whole name that was asked for. */
  name: string
  for: DnsRecordPurpose
  required: boolean
  /** The value to publish; of an MX with its priority in front. */
  expected: string
  /** What is published under this name and type. */
  found: string[]
  /** `missing`: nothing there; `error`: DNS could not be asked. */
  verdict: 'ok' | 'missing' | 'wrong' | 'error'
  /** Null where the verdict is `ok`. */
  error_type: VerificationErrorType | null
  /** What is wrong, in words; null where the verdict is `ok`. */
  message: string | null
}
