import type { DomainStatus, RecordCheck, VerificationErrorType } from '../../../src/domains/types.ts'

/** The state of a domain, in words. */
export const statusWords: Readonly<Record<DomainStatus, string>> = {
  NOT_STARTED: 'Not verified yet',
  PENDING: 'Being checked',
  SUCCESS: 'Verified',
  FAILED: 'Not verified: check failed',
  TEMPORARY_FAILURE: 'Check failed for now',
}

/** What a check found wrong, in a few words. */
export const errorWords: Readonly<Record<VerificationErrorType, string>> = {
  HOST_NOT_FOUND: 'No DNS record found',
  TYPE_NOT_FOUND: 'A record is missing',
  INVALID_VALUE: 'A record has another value',
  DNS_SERVER_ERROR: 'A DNS server did not answer',
  SERVICE_ERROR: 'Localpost could not check',
}

/** The verdict on one record, in words. */
export const verdictWords: Readonly<Record<RecordCheck['verdict'], string>> = {
  ok: 'Found',
  missing: 'Not found',
  wrong: 'Other value',
  error: 'No answer',
}
