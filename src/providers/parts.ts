import type { RandomSource } from '../core/random.ts'
import type { Store } from '../store/store.ts'
import type { ProviderParts } from './provider.ts'
import { createSentEmails } from './sent-emails.ts'
import type { Reader } from '../reading/reader.ts'

/** What the APIs of providers need of the instance. */
type InstanceParts = Pick<ProviderParts, 'clock' | 'config' | 'state'>

/** What the APIs of providers need of an account. */
export interface ProviderAccount extends Omit<ProviderParts, 'sent' | keyof InstanceParts | 'newUuid'> {
  readonly store: Store
  readonly reader: Pick<Reader, 'bodies' | 'content'>
  /** Where the ids of emails come from. */
  readonly providerRandom: RandomSource
}

/** The parts of an account that the APIs of providers are a translation of. */
export function providerParts(account: ProviderAccount, instance: InstanceParts): ProviderParts {
  const newUuid = (): string => toUuid(account.providerRandom.bytes(16))
  return { ...account, ...instance, sent: createSentEmails(account), newUuid }
}

/** @param bytes  16 random ones. @see RFC 9562 section 5.4 */
function toUuid(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
