import type { RandomSource } from '../core/random.ts'
import type { Reader } from '../reading/reader.ts'
import type { Store } from '../store/store.ts'
import type { ProviderParts } from './provider.ts'
import { SentEmails } from './sent-emails.ts'
import { randomUuid } from './uuid.ts'

/** What the APIs of providers need of the instance. */
type InstanceParts = Pick<ProviderParts, 'clock' | 'config' | 'state'>

type AccountParts = Omit<ProviderParts, keyof InstanceParts | 'sent' | 'newUuid'>

/** What the APIs of providers need of an account. */
export interface ProviderAccount extends AccountParts {
  readonly store: Store
  readonly reader: Pick<Reader, 'bodies' | 'content'>
  /** Where the ids of emails come from. */
  readonly providerRandom: RandomSource
}

/** The parts of an account and of the instance that providers' APIs use. */
export function providerParts(account: ProviderAccount, instance: InstanceParts): ProviderParts {
  const { sending, domains, templates, suppressions, webhooks, configurationSets } = account
  const { inbox, faults, thread, store, providerRandom } = account
  const { clock, config } = instance
  const resources = { sending, domains, templates, suppressions, webhooks, configurationSets, inbox, faults }
  return {
    ...resources,
    sent: new SentEmails(account),
    thread,
    store,
    clock,
    config,
    state: () => instance.state(),
    newUuid: () => randomUuid(providerRandom.bytes(16)),
  }
}
