import type { InnerDomains } from '../domains/domains.ts'
import type { DomainDetail } from '../domains/types.ts'
import { allOf } from './all-of.ts'

/** The domain of an account with this name, in any case; null if it is not registered. */
export async function findDomain(
  domains: Pick<InnerDomains, 'list' | 'get'>,
  name: string,
): Promise<DomainDetail | null> {
  for await (const domain of allOf(domains.list))
    if (domain.name === name.toLowerCase()) return domains.get(domain.id)
  return null
}
