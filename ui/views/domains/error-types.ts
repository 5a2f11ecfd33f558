import type { VerificationErrorType } from '../../../src/domains/types.ts'

/** Why a check failed, for a person, and what fixes it. */
export const errorTypeWords: Readonly<Record<VerificationErrorType, string>> = {
  HOST_NOT_FOUND: 'DNS knows no such name. Publish the records below, and wait for the zone to spread.',
  TYPE_NOT_FOUND: 'The name exists, but has no record of this type. Add the record that is missing.',
  INVALID_VALUE: 'A record has another value than it should, or is there twice. Compare it with those below.',
  DNS_SERVER_ERROR: 'A DNS server failed, or did not answer in time. Try again later.',
  SERVICE_ERROR: 'Localpost itself failed while it looked. Try again, and see what it printed.',
}
