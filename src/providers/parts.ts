import type { RandomSource } from '../core/random.ts'
import type { Store } from '../store/store.ts'
import type { ProviderParts } from './provider.ts'
import { SentEmails } from './sent-emails.ts'
import { randomUuid } from './uuid.ts'
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
  const newUuid = (): string => randomUuid(account.providerRandom.bytes(16))
  return { ...account, ...instance, sent: new SentEmails(account), newUuid }
}
