import { fieldOf } from '../core/header-fields.ts'
import { parseAddresses } from '../mime/headers/addresses.ts'
import type { CheckedMail } from './check.ts'
import { readLength } from './lengths.ts'

/** The domain of a bare address; null without one. */
export function domainOf(address: string): string | null {
  const at = address.lastIndexOf('@')
  return at === -1 || at === address.length - 1 ? null : address.slice(at + 1).toLowerCase()
}

/** The domain of the first address of a header field, by its name in lower case; null without one. */
export function firstDomain(mail: Pick<CheckedMail, 'headers'>, field: string): string | null {
  const [first] = parseAddresses((fieldOf(mail.headers, field) ?? '').slice(0, readLength))
  return first ? domainOf(first.address) : null
}
