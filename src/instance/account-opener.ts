import type { AccountRecord } from '../accounts/account.ts'
import type { AccountSide } from '../capture/account-side.ts'
import type { Budget } from '../core/byte-budget.ts'
import { LocalpostError } from '../core/errors.ts'
import { runAll } from '../core/run-all.ts'
import { createKeys, type Keys } from '../keys/keys.ts'
import type { App } from '../server/app.ts'
import type { Store } from '../store/store.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'
import type { OpenAccount } from './account.ts'
import type { AccountParts, AccountSettings } from './shared-parts.ts'
import { createAccountMemory, type AccountMemory } from './account-memory.ts'
import { sideOfAccount } from './inbound.ts'
import type { KeyOwners } from './key-owners.ts'
import { openAccount } from './open-account.ts'

/** An open account other than `default`. */
export interface OtherAccount {
  readonly account: OpenAccount
  readonly keys: Keys
  readonly side: AccountSide
  /** Created when the account is used over HTTP for the first time. */
  app: Promise<App> | null
}

/**
 * Opens accounts, and keeps what they have in memory while they are closed. Its caller opens an account once at a time.
 *
 * An account has two views of its partition of the store: one of its memory, which stays until `forget`, and one of the
 * open account, which ends with `OpenAccount.close`.
 */
export interface AccountOpener {
  /** @throws What the start fails with; then nothing of it is left open. */
  open(record: AccountRecord): Promise<OtherAccount>
  /** Refuses changes of the records of a closed account, and waits for those in progress. */
  shut(id: string): Promise<void>
  forget(id: string): void
}

/**
 * @param parts  The parts of the account `default`. The others share most of them.
 * @param stored  The store of all accounts.
 * @param headerBudget  The memory for headers of messages that arrive, of all accounts together.
 * @param owners  Told of the keys of each account that is opened.
 */
export function createAccountOpener(
  parts: AccountParts,
  stored: PartitionedStore,
  headerBudget: Budget,
  owners: KeyOwners,
): AccountOpener {
  const { config, following } = parts
  const { clock } = config
  /** The memory of each account since its first start, with the view of the store that it uses. */
  const kept = new Map<string, { readonly memory: AccountMemory; readonly store: Store }>()

  async function memoryOf(id: string): Promise<AccountMemory> {
    const known = kept.get(id)
    if (known) return known.memory
    const sources: AccountParts['randomSources'] = (purpose) =>
      parts.randomSources(`accounts.${id}.${purpose}`)
    const store = stored.partition(id)
    const memory = await createAccountMemory({ clock, rules: null }, sources, store, following)
    kept.set(id, { memory, store })
    return memory
  }

  return {
    async open({ id, name, max_emails, max_age_ms }) {
      const memory = await memoryOf(id)
      const own: AccountSettings = {
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
        accountName: name,
        foreignMail: null,
        baseUrl: () => `${parts.baseUrl()}/a/${id}`,
      }
      const store = stored.partition(id)
      const undo: (() => unknown)[] = [() => store.close()]
      try {
        const account = await openAccount({ ...parts, ...own }, memory, store, undo)
        const random = memory.randomSources('keys')
        const { ids } = memory
        const keys = await createKeys({ store, clock, ids, given: [], acceptAny: false, random, following })
        account.webhooks.wake()
        account.deliver()
        const side = sideOfAccount(account, config, headerBudget, parts.upToDate)
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
