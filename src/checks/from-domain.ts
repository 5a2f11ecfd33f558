import { parseAddresses } from '../mime/headers/addresses.ts'
import { domainOf } from './alignment.ts'
import { fieldsOf, type CheckedMail } from './subject.ts'

/** The domain of the first address in From; null without one. */
export function fromDomain(mail: CheckedMail): string | null {
  const [first] = parseAddresses((fieldsOf(mail, 'from')[0] ?? '').slice(0, 10_000))
  return first ? domainOf(first.address) : null
}
