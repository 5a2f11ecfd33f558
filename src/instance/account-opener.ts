import type { AccountRecord } from '../accounts/account.ts'
import type { AccountSide } from '../capture/port.ts'
import type { Budget } from '../core/byte-budget.ts'
import { LocalpostError } from '../core/errors.ts'
import { runAll } from '../core/run-all.ts'
import { createKeys, type Keys } from '../keys/keys.ts'
import type { App } from '../server/app.ts'
import type { PartitionedStore, Store } from '../store/store.ts'
import { openResources, openSends, type OpenAccount, type SharedParts } from './account.ts'
import { createAccountMemory, type AccountMemory } from './account-memory.ts'
import { sideOfAccount } from './inbound.ts'
import type { KeyOwners } from './key-owners.ts'

/** An open account other than `default`. */
export interface OtherAccount {
  readonly account: OpenAccount
  readonly keys: Keys
  readonly side: AccountSide
  /** Created when the account is used over HTTP for the first time. */
  app: Promise<App> | null
}

/** Opens accounts, and keeps what they have in memory while they are closed. */
export interface AccountOpener {
  open(record: AccountRecord): Promise<OtherAccount>
  /** Refuses changes of the records of a closed account, and waits for those in progress. */
  shut(id: string): Promise<void>
  /** Forgets the state in memory of an account. */
  forget(id: string): void
}

/** The state of an account that stays while it is closed. */
interface Kept {
  readonly memory: AccountMemory
  /** The one that the memory uses. */
  readonly store: Store
}

export function createAccountOpener({
  shared,
  stored,
  headRoom,
  deliveries,
  owners,
}: {
  shared: SharedParts
  stored: PartitionedStore
  headRoom: Budget
  deliveries(): { readonly host: string; readonly port: number }
  owners: KeyOwners
}): AccountOpener {
  const { config } = shared
  const { clock } = config
  const kept = new Map<string, Kept>()

  async function keptOf(id: string): Promise<Kept> {
    const known = kept.get(id)
    if (known) return known
    const sources: SharedParts['randomSources'] = (purpose) =>
      shared.randomSources(`accounts.${id}.${purpose}`)
    const store = stored.partition(id)
    const memory = await createAccountMemory({ clock, rules: null }, sources, store, shared.following)
    const made = { memory, store }
    kept.set(id, made)
    return made
  }

  return {
    async open({ id, max_emails, max_age_ms }) {
      const { memory } = await keptOf(id)
      const { randomSources } = memory
      const own: SharedParts = {
        ...shared,
        config: {
          ...config,
          maxEmails: max_emails ?? config.maxEmails,
          maxAgeMs: max_age_ms ?? config.maxAgeMs,
          // Those of the options are of the account `default`.
          rules: null,
          webhooks: [],
        },
        // The searchable text is built again from the messages when an account is opened.
        textFolder: null,
        randomSources,
        baseUrl: () => `${shared.baseUrl()}/a/${id}`,
      }
      const store = stored.partition(id)
      const undo: (() => unknown)[] = [() => store.close()]
      try {
        const resources = await openResources(own, memory, store, undo)
        const { ids } = resources
        const random = randomSources('keys')
        const { following } = shared
        const keys = await createKeys({ store, clock, ids, given: [], acceptAny: false, random, following })
        const account = await openSends(own, resources, deliveries())
        account.webhooks.wake()
        account.deliver()
        const side = sideOfAccount(account, config, headRoom, shared.upToDate)
        return { account, keys: owners.watch(id, keys), side, app: null }
      } catch (error) {
        await runAll(undo.reverse()).catch(() => undefined)
        throw error
      }
    },
    shut: (id) => stored.closePartition(id, new LocalpostError('not_found', 'The account was removed.')),
    forget(id) {
      void kept.get(id)?.store.close()
      kept.delete(id)
    },
  }
}
