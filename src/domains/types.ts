// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** One of Amazon SES's states of an identity. */
export type DomainStatus = 'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'TEMPORARY_FAILURE'

/** Why the last check found a domain not verified, in SES's words. */
export type VerificationErrorType =
  | 'HOST_NOT_FOUND'
  | 'TYPE_NOT_FOUND'
  | 'INVALID_VALUE'
  | 'DNS_SERVER_ERROR'
  | 'SERVICE_ERROR'

/** The body of `POST /v1/domains`, docs/interface.md 4.5. */
export interface NewDomain {
  /**
   * Domain name, plain or with subdomain: `acme.com`, `mail.acme.com`, in any case, with or without a
   * trailing dot, IDN in either form; at most 253 characters as A-labels, without the dot at the end.
   */
  name: string
}

/** The members that `PATCH /dev/domains/{id}` may change. */
export interface DomainSettings {
  /** Whether HTML mail gets a tracking pixel. */
  open_tracking_enabled?: boolean
  /** Whether links in HTML mail are rewritten. */
  click_tracking_enabled?: boolean
  /** True also sets `warmed_up_at` to now, false to null. */
  is_warmed_up?: boolean
}

/** A state declared by hand, instead of a look-up in DNS. */
export interface DeclaredVerification {
  status: DomainStatus
  /** Why it is not verified; only with PENDING, FAILED or TEMPORARY_FAILURE. */
  error_type?: VerificationErrorType
}

/** The purpose of a DNS record. */
export type DnsRecordPurpose = 'DKIM' | 'MAIL FROM domain' | 'DMARC (highly recommended)'

/** One record that the owner of a domain publishes, docs/interface.md 2.5. */
export type DnsRecord =
  | {
      type: 'TXT'
      /** Host name relative to the registrable domain. */
      name: string
      /** Content of the record. */
      value: string
      /** False for DMARC, true for the others. */
      required: boolean
      /** What the record is for. */
      for: DnsRecordPurpose
    }
  | {
      type: 'MX'
      /** Host name relative to the registrable domain. */
      name: string
      /** Content of the record. */
      value: string
      /** False for DMARC, true for the others. */
      required: boolean
      /** What the record is for. */
      for: DnsRecordPurpose
      priority: number
    }

/** The answer to the creation of a domain, docs/interface.md 4.5. */
export interface CreatedDomain {
  id: string
  name: string
  status: DomainStatus
  /** The records to publish, so that the domain can be verified. */
  dns_records: DnsRecord[]
}

/** The creator of a domain or audience in answers. */
export interface CreatedBy {
  email: string
  first_name: string | null
  last_name: string | null
  /** URL of a picture; by default a small `data:` URL, so that nothing is fetched. */
  profile_picture: string
}

/** The results of the checks of a domain; `{}` before the first. */
export interface VerificationInfo {
  /** ISO 8601 in UTC with milliseconds. */
  last_checked_timestamp?: string
  /** ISO 8601 in UTC with milliseconds. */
  last_success_timestamp?: string
  /** Why the last check failed; absent if it did not. */
  error_type?: VerificationErrorType
  /** The start of authority of the zone. */
  soa_record?: {
    primary_name_server: string
    admin_email: string
    serial_number: number
  }
}

/** A domain in a list, docs/interface.md 2.4. */
export interface DomainListItem {
  id: string
  /** Domain name, lower case, IDN as A-labels. */
  name: string
  status: DomainStatus
  /** True only while `status` is SUCCESS. */
  verified_for_sending_status: boolean
  verification_info: VerificationInfo
  /** DKIM public key: base64 of the SubjectPublicKeyInfo. */
  public_key: string
  dns_records: DnsRecord[]
  /** Unix time in milliseconds. */
  created: number
  is_warmed_up: boolean
  /** Unix time in milliseconds; null when not warmed up. */
  warmed_up_at: number | null
  created_by: CreatedBy
}

/** A domain in detail, docs/interface.md 2.4. */
export interface DomainDetail {
  id: string
  /** Domain name, lower case, IDN as A-labels. */
  name: string
  status: DomainStatus
  /** True only while `status` is SUCCESS. */
  verified_for_sending_status: boolean
  verification_info: VerificationInfo
  /** DKIM public key: base64 of the SubjectPublicKeyInfo. */
  public_key: string
  dns_records: DnsRecord[]
  /** Unix time in milliseconds. */
  created: number
  is_warmed_up: boolean
  /** Unix time in milliseconds; null when not warmed up. */
  warmed_up_at: number | null
  created_by: CreatedBy & {
    type: 'user'
  }
  open_tracking_enabled: boolean
  click_tracking_enabled: boolean
}

/** The members of a domain in its events. Its DNS records and keys are not included: request them by the id. */
export interface DomainData {
  domain_id: string
  /** Domain name, lower case, IDN as A-labels. */
  name: string
  status: DomainStatus
  /** True only while `status` is SUCCESS. */
  verified_for_sending_status: boolean
  verification_info: VerificationInfo
  /** Unix time in milliseconds. */
  created: number
  is_warmed_up: boolean
  /** Unix time in milliseconds; null when not warmed up. */
  warmed_up_at: number | null
  open_tracking_enabled: boolean
  click_tracking_enabled: boolean
}

/** A domain in the list of `/dev/domains`. */
export interface DomainSummary {
  id: string
  /** Domain name, lower case, IDN as A-labels. */
  name: string
  status: DomainStatus
  /** Unix time in milliseconds. */
  created: number
  /** False for a domain that only mail mentioned. */
  is_created: boolean
}

/** The result of looking up one of a domain's records. */
export interface RecordCheck {
  type: 'TXT' | 'MX'
  /** The whole name that was asked for. */
  name: string
  /** What the record is for. */
  for: DnsRecordPurpose
  /** Whether the status of the domain depends on it. */
  required: boolean
  /** The value to publish; of an MX with its priority in front. */
  expected: string
  /** What is published under this name and type. */
  found: string[]
  /** `missing`: nothing there; `error`: DNS could not be asked. */
  verdict: 'ok' | 'missing' | 'wrong' | 'error'
  /** Null if the verdict is ok. */
  error_type: VerificationErrorType | null
  /** What is wrong, in words; null if the verdict is ok. */
  message: string | null
}
