import type { DomainRecord } from './domain.ts'
import type { DeclaredVerification, DomainStatus, VerificationErrorType, VerificationInfo } from './types.ts'

/** The result of looking up a domain's DNS records. */
export interface LookupOutcome {
  /** Absent if every required record is correct. */
  error_type?: VerificationInfo['error_type']
  /** Absent if it was not found. */
  soa_record?: VerificationInfo['soa_record']
}

/**
 * Sets the state of a domain by hand. `NOT_STARTED` removes the results of all checks; any other state counts as a check
 * with this result.
 *
 * @param now  Unix time in milliseconds.
 */
export function setStatus(domain: DomainRecord, declared: DeclaredVerification, now: number): DomainRecord {
  const { status, error_type } = declared
  if (status === 'NOT_STARTED')
    return { ...domain, status, verification_started: null, verification_info: {} }
  const { soa_record } = domain.verification_info
  return withCheck(domain, status, { error_type, soa_record }, now)
}

/** The domain when a look-up begins. */
export function beginLookup(domain: DomainRecord, now: number): DomainRecord {
  if (domain.status !== 'NOT_STARTED') return domain
  return { ...domain, status: 'PENDING', verification_started: now }
}

/** The domain after a look-up. */
export function endLookup(domain: DomainRecord, outcome: LookupOutcome, now: number): DomainRecord {
  const { error_type } = outcome
  return withCheck(domain, error_type ? statusAfterFailure(domain, error_type, now) : 'SUCCESS', outcome, now)
}

function statusAfterFailure(domain: DomainRecord, error: VerificationErrorType, now: number): DomainStatus {
  switch (domain.status) {
    case 'SUCCESS':
    case 'TEMPORARY_FAILURE':
      return 'TEMPORARY_FAILURE'
    case 'FAILED':
      return 'FAILED'
    case 'NOT_STARTED':
    case 'PENDING':
      // If a server did not answer, the records may still exist.
      return now - (domain.verification_started ?? now) >= patienceMs && isDnsAnswer(error)
        ? 'FAILED'
        : 'PENDING'
  }
}

const isDnsAnswer = (error: VerificationErrorType): boolean =>
  error !== 'DNS_SERVER_ERROR' && error !== 'SERVICE_ERROR'

function withCheck(
  domain: DomainRecord,
  status: DomainStatus,
  outcome: LookupOutcome,
  now: number,
): DomainRecord {
  const checkedAt = new Date(now).toISOString()
  const succeededAt = status === 'SUCCESS' ? checkedAt : domain.verification_info.last_success_timestamp
  return {
    ...domain,
    status,
    verification_started: domain.verification_started ?? now,
    verification_info: {
      last_checked_timestamp: checkedAt,
      ...(succeededAt && { last_success_timestamp: succeededAt }),
      ...(outcome.error_type && { error_type: outcome.error_type }),
      ...(outcome.soa_record && { soa_record: outcome.soa_record }),
    },
  }
}

/** How long an owner has to publish the records, as with SES. */
const patienceMs = 72 * 60 * 60 * 1000
