import { forbiddenAddress as neverCalled, isPrivateAddress } from '../net/addresses.ts'

/**
 * Why an attachment may not be fetched from an IP address; null where it may. Loopback and public addresses are
 * allowed, private networks where `allowPrivate` says so. Link-local addresses, the metadata services of clouds,
 * multicast and reserved ranges never are.
 */
export function forbiddenAddress(address: string, allowPrivate: boolean): string | null {
  const problem = neverCalled(address)
  if (problem !== null || allowPrivate || !isPrivateAddress(address)) return problem
  return 'is in a private network; allow these with `attachments.allowPrivate`'
}
