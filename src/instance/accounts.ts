import { noAccount, type AccountRecord } from '../accounts/account.ts'
import type { InnerAccounts } from '../accounts/accounts.ts'
import { ownAccount } from '../accounts/own-account.ts'
import type { AuthRules } from '../capture/auth.ts'
import type { Budget } from '../core/byte-budget.ts'
import type { Ids } from '../core/ids.ts'
import { runTogether } from '../core/run-all.ts'
import { emailCollection } from '../emails/email.ts'
import type { ForeignMail } from '../inbox/missing-facts.ts'
import type { Store } from '../store/store.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'
import type { OtherAccounts } from '../server/pass-to-account.ts'
import type { App } from '../server/app.ts'
import { closeAccount, type OpenAccount } from './account.ts'
import type { AccountParts } from './shared-parts.ts'
import { createAccountOpener, type OtherAccount } from './account-opener.ts'
import { createAccountJudge } from './account-smtp.ts'
import { reportErrors } from './notices.ts'
import type { HttpAccount } from './http.ts'
import { AccountWakes } from './account-wakes.ts'
import { findWork } from './account-work.ts'
import { findForeignMail } from './foreign-mail.ts'
import { KeyOwners } from './key-owners.ts'
import { OpenAccounts } from './open-accounts.ts'
import { releaseAfter } from './release-after.ts'
import { createAccounts } from '../accounts/stored-accounts.ts'

/** The accounts other than `default`. Each is opened on its first use. */
export interface RunningAccounts {
  readonly resource: InnerAccounts
  judge: NonNullable<AuthRules['judgeAccount']>
  /** What the HTTP server needs of them. */
  readonly http: OtherAccounts
  /** Calls `work` with an account, open until `work`, and a stream that it returns, end. @throws not_found. */
  use<T>(name: string, work: (account: OpenAccount) => Promise<T>): Promise<T>
  /** The newest mail for a recipient since a time, of accounts that have some. At most 200 accounts are looked at. */
  findMail(isWanted: (address: string) => boolean, since: number): Promise<ForeignMail[]>
  /** Finishes removals that a crash interrupted, and opens accounts that have work to do. May be called again. */
  start(): Promise<void>
  /** Looks for work in an account whose records another instance changed. */
  wake(id: string): void
  idle(): Promise<void>
  /** Ends the open accounts. The SMTP server must still accept deliveries. */
  close(): Promise<void>
}

export interface RunningAccountsDeps {
  /** The parts of the account `default`. */
  parts: AccountParts
  stored: PartitionedStore
  /** The store and the ids of the account `default`. */
  main: { store: Store; ids: Ids }
  headerBudget: Budget
  smtp(): { host: string; port: number }
  makeApp(parts: HttpAccount): Promise<App>
  /** How many unused accounts may be open. Default: 100. */
  mostOpen?: number | undefined
  onClosed?: ((id: string) => void) | undefined
}

export async function createRunningAccounts(deps: RunningAccountsDeps): Promise<RunningAccounts> {
  const { parts, stored, main, mostOpen = defaultMostOpen } = deps
  const { config } = parts
  const owners = new KeyOwners(parts.following)
  const opener = createAccountOpener(parts, stored, deps.headerBudget, owners)
  // `open`, `accounts` and `wakes` call each other, but only after all three are made.
  const open = new OpenAccounts<OtherAccount>({
    assertUsable: usable,
    open: (id) => opener.open(usable(id)),
    async end(id, { account, app }) {
      ;(await app)?.close()
      await closeAccount(account).finally(() => account.store.close())
      deps.onClosed?.(id)
    },
    async isBusy(id, { account }) {
      const record = accounts.byId(id)
      // A removed account is closed by its removal. One with faults stays open, to keep the counts of its rate limit.
      if (!record || account.faults.state() !== null) return true
      await account.tracking.idle()
      const { isNow, nextAt } = await findWork(account.store, record, config)
      if (!isNow) wakes.plan(id, nextAt)
      return isNow
    },
    maxOpen: mostOpen,
    onError: reportErrors(config, 'An account could not be closed.'),
  })

  const accounts = await createAccounts({
    store: main.store,
    following: parts.following,
    clock: config.clock,
    ids: main.ids,
    random: parts.randomSources('accounts'),
    smtp: deps.smtp,
    countsOf: (id) => countsOf(id === null ? main.store : stored.partition(id)),
    async makeKey(id) {
      const { opened, release } = await open.hold(id)
      release()
      return opened.keys.primary().value
    },
    async shut(id) {
      await open.shut(id)
      await opener.shut(id)
    },
    async restart(id) {
      const wasOpen = open.isStarted(id)
      await open.shut(id)
      if (wasOpen && accounts.byId(id)) (await open.hold(id)).release()
    },
    joined: (id) => owners.follow(id, stored.partition(id)),
    left: forget,
    endPassword: (digest) => owners.endPassword(digest),
    async empty(id, smtpDigest) {
      forget(id, smtpDigest)
      await stored.removePartition(id)
    },
    holders: () => stored.partitions(),
    onError: reportErrors(config, 'An account could not be stored or removed; this will be retried.'),
  })
  const wakes = new AccountWakes(config.clock, wake)

  function forget(id: string, smtpDigest: string | null): void {
    owners.forget(id, smtpDigest)
    opener.forget(id)
    wakes.forget(id)
  }

  /** @throws not_found. */
  function usable(id: string): AccountRecord {
    const record = accounts.byId(id)
    if (!record) throw noAccount(id)
    return record
  }

  /** Opens an account for a caller, which counts as use. @throws not_found. */
  async function hold(id: string): ReturnType<OpenAccounts<OtherAccount>['hold']> {
    accounts.used(usable(id))
    return open.hold(id)
  }

  /** Opens an account for its background work, which does not count as use. */
  function wake(id: string): void {
    if (!accounts.byId(id)) return
    open.hold(id).then(
      ({ opened: { account }, release }) => {
        account.wakeOutbox()
        account.webhooks.wake()
        release()
      },
      reportErrors(config, 'An account could not be opened for what is due in it.'),
    )
  }

  return {
    resource: accounts,
    judge: createAccountJudge({ accounts, owners, open }),
    http: httpAccounts(accounts, owners, hold, deps.makeApp),
    async use(name, work) {
      const record = accounts.find(name)
      if (!record) throw noAccount(name)
      const { opened, release } = await hold(record.id)
      return releaseAfter(() => work(opened.account), release)
    },
    findMail: (isWanted, since) => findForeignMail(accounts, stored, isWanted, since),
    async start() {
      await accounts.start()
      if (!stored.leadership.isMine()) return
      for (const id of accounts.ids()) {
        const record = accounts.byId(id)
        if (!record) continue
        const { isNow, nextAt } = await findWork(stored.partition(id), record, config)
        if (isNow) (await open.hold(id)).release()
        else wakes.plan(id, nextAt)
      }
    },
    wake,
    async idle() {
      for (const [, { account }] of open.all()) {
        await account.schedule.idle()
        await account.outbox.idle()
        for (const busy of [account.tracking, account.webhooks, ...account.maintenance]) await busy.idle()
      }
    },
    async close() {
      wakes.close()
      await runTogether([() => accounts.close(), () => open.close()])
    },
  }
}

/** An open account takes about 0.2 MB. */
const defaultMostOpen = 100

function httpAccounts(
  accounts: InnerAccounts,
  owners: KeyOwners,
  hold: OpenAccounts<OtherAccount>['hold'],
  makeApp: RunningAccountsDeps['makeApp'],
): OtherAccounts {
  return {
    isEmpty: accounts.isEmpty,
    ofKey: (key) => owners.ofKey(key),
    ofDigest: (digest) => owners.ofDigest(digest),
    ofName: (name) => accounts.find(name)?.id ?? null,
    has: (id) => accounts.byId(id) !== null,
    async open(id) {
      const { opened, release } = await hold(id)
      try {
        const { account, keys } = opened
        opened.app ??= makeApp({
          ...account,
          keys,
          accounts: ownAccount(accounts, accounts.byId(id)?.name ?? id),
        })
        const used = (): void => {
          const record = accounts.byId(id)
          if (record) accounts.used(record)
        }
        return { app: await opened.app, used, release }
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

/** How many emails an account has. */
async function countsOf(store: Store): Promise<{ emails: number; unread: number }> {
  const [emails, unread] = await Promise.all([
    store.count(emailCollection),
    store.count(emailCollection, { where: { flag: 'unread' } }),
  ])
  return { emails, unread }
}
