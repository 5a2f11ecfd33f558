import { type FieldError, quote } from '../../core/errors.ts'
import { normalizeAddress } from '../../mime/headers/addresses.ts'
import { headerFault } from '../../sending/recipients.ts'
import type { SendGridAddress } from './send-schema.ts'

/** Writes an address as the core takes it: `Ada <ada@example.com>`. */
export type AddressWriter = (address: SendGridAddress, field: string) => string

/** @param errors  Receives one entry per invalid address. */
export function createAddressWriter(errors: FieldError[]): AddressWriter {
  return ({ email, name = '' }, field) => {
    const checked = normalizeAddress(email)
    if ('problem' in checked)
      errors.push({
        field: `${field}.email`,
        message: `Does not contain a valid address. ${quote(email)} ${checked.problem}.`,
      })
    const fault = headerFault(name)
    if (fault !== null) errors.push({ field: `${field}.name`, message: `${quote(name)} ${fault}` })
    return name === '' ? email : `${toPhrase(name)} <${email}>`
  }
}

/** A display name as it is written before an address. @see RFC 5322 section 3.2.5 */
function toPhrase(name: string): string {
  return /^[\w-]+(?: [\w-]+)*$/.test(name) ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`
}
