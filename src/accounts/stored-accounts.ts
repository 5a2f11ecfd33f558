import { hash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { isErrorOf, LocalpostError } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import { nextTurn } from '../core/machine.ts'
import { quote } from '../core/quote.ts'
import type { RandomSource } from '../core/random.ts'
import { parseInput } from '../core/validate.ts'
import type { Following } from '../store/follow.ts'
import { insert, type Store } from '../store/store.ts'
import { accountCollection, type AccountRecord } from './account.ts'
import type { InnerAccounts } from './accounts.ts'
import { openAccountDirectory } from './directory.ts'
import { createAccountRemovals } from './removal.ts'
import { accountChangesSchema, accountInputSchema, defaultAccount } from './schema.ts'
import type { AccountInfo } from './types.ts'

export interface AccountsDeps {
  /** The main partition. */
  store: Store
  clock: Clock
  ids: Ids
  random: RandomSource
  following: Following
  /** Called with each account at the start, and with each later one after it was created, before it is used. */
  joined(id: string): Promise<void>
  /** Forgets an account that another instance has removed. */
  left(id: string, password: string): void
  /** Called with the digest of an SMTP password that was replaced. */
  endPassword(smtpDigest: string): void
  /** Where mail is submitted. */
  smtp(): { readonly host: string; readonly port: number }
  /** How much an account holds; null is the account `default`. */
  countsOf(id: string | null): Promise<AccountInfo['counts']>
  /** Makes the first API key of an account. @returns Its value. */
  makeKey(id: string): Promise<string>
  /** Closes an account if it is open. */
  shut(id: string): Promise<void>
  /** Closes an account if it is open, and opens it again with its new limits if it may be used. */
  restart(id: string): Promise<void>
  /** Removes everything that an account holds; gets the digest of its SMTP password, if it is known. */
  empty(id: string, smtpDigest: string | null): Promise<void>
  /** The ids of all accounts that hold something. */
  holders(): string[]
  /** Called with errors of removals in the background, which are tried again. */
  onError(error: unknown): void
}

export async function createAccounts(deps: AccountsDeps): Promise<InnerAccounts> {
  const { store, clock, ids, random, following, shut, empty, onError } = deps
  const begun = clock.now()
  // The removals need the directory, which calls this while it opens. What is lost then is planned by `start`, which looks
  // at every account.
  let plan: (expires: number | null) => void = () => {}
  const inBackground = (work: Promise<void>): void => void work.catch(onError)
  const directory = await openAccountDirectory({
    store,
    clock,
    following,
    async onStored(record, before) {
      plan(record.expires)
      if (before && before.smtp_digest !== record.smtp_digest) deps.endPassword(before.smtp_digest)
      if (!before) await deps.joined(record.id)
      else if (record.is_removed && !before.is_removed) inBackground(shut(record.id))
      else if (needsRestart(before, record)) inBackground(deps.restart(record.id))
    },
    onGone({ id, smtp_digest }) {
      inBackground(shut(id))
      deps.left(id, smtp_digest)
    },
  })
  const removals = createAccountRemovals({ directory, store, clock, shut, empty, onError })
  plan = removals.plan

  async function infoOf(record: AccountRecord): Promise<AccountInfo> {
    const { id, name, created, ttl_ms, expires, max_emails, max_age_ms, is_disabled } = record
    const counts = await deps.countsOf(id)
    return { id, name, created, ttl_ms, expires, max_emails, max_age_ms, is_disabled, counts }
  }

  async function main(): Promise<AccountInfo> {
    const own = { id: defaultAccount, name: defaultAccount, created: begun }
    const unlimited = { ttl_ms: null, expires: null, max_emails: null, max_age_ms: null }
    return { ...own, ...unlimited, is_disabled: false, counts: await deps.countsOf(null) }
  }

  function freeName(): string {
    const name = `account-${random.bytes(5).toString('hex')}`
    return directory.isName(name) ? freeName() : name
  }

  const newPassword = (): string => random.bytes(24).toString('base64url')

  return {
    async create(input = {}) {
      const given = parseInput(accountInputSchema, input)
      if (directory.size >= maxAccounts) throw tooMany(directory.size)
      const name = given.name ?? freeName()
      if (name === defaultAccount || directory.isName(name)) throw taken(name)
      const { ttl_ms = null, max_emails = null, max_age_ms = null } = given
      const password = newPassword()
      const created = clock.now()
      const record: AccountRecord = {
        id: ids.next('acc'),
        version: 1,
        name,
        created,
        ttl_ms,
        expires: expiryAt(created, ttl_ms),
        max_emails,
        max_age_ms,
        is_disabled: false,
        smtp_digest: passwordDigest(password),
        is_removed: false,
      }
      directory.reserve(name, record.id)
      try {
        await store.commit([insert(accountCollection, record)])
        directory.keep(record)
        await deps.joined(record.id)
        const api_key = await deps.makeKey(record.id)
        removals.plan(record.expires)
        return { ...(await infoOf(record)), api_key, smtp: { ...deps.smtp(), username: name, password } }
      } catch (error) {
        // With a record in memory it is stored, and may hold something; else only its name was reserved.
        if (directory.record(record.id)) await removals.remove(record.id).catch(onError)
        else directory.forget(record.id, name)
        throw isErrorOf(error, 'unique_conflict') ? taken(name) : error
      }
    },
    async list() {
      const records = directory.all().filter((record) => !record.is_removed && !directory.isExpired(record))
      records.sort((one, other) => (one.name < other.name ? -1 : 1))
      const infos = [await main()]
      for (const record of records) {
        infos.push(await infoOf(record))
        if (infos.length % countedAtOnce === 0) await nextTurn()
      }
      return infos
    },
    get: async (name) => (name === defaultAccount ? main() : infoOf(directory.named(name))),
    async update(name, changes) {
      const { is_disabled, ...limits } = parseInput(accountChangesSchema, changes)
      if (name === defaultAccount) throw fixed('changed')
      const before = directory.named(name)
      const { id } = before
      const record = await directory.change(id, (stored) => {
        const ttl_ms = limits.ttl_ms === undefined ? stored.ttl_ms : limits.ttl_ms
        return {
          ...stored,
          ...limits,
          expires: expiryAt(clock.now(), ttl_ms),
          is_disabled: is_disabled ?? stored.is_disabled,
        }
      })
      removals.plan(record.expires)
      if (needsRestart(before, record)) await deps.restart(id)
      return infoOf(record)
    },
    async renewPassword(name) {
      if (name === defaultAccount) throw new LocalpostError('state_conflict', withoutPassword)
      const password = newPassword()
      const { id, smtp_digest } = directory.named(name)
      let ended = smtp_digest
      await directory.change(id, (stored) => {
        // Another call may have replaced it meanwhile.
        ended = stored.smtp_digest
        return { ...stored, smtp_digest: passwordDigest(password) }
      })
      deps.endPassword(ended)
      return { smtp: { ...deps.smtp(), username: name, password } }
    },
    async remove(name) {
      if (name === defaultAccount) throw fixed('removed')
      try {
        await removals.remove(directory.named(name).id)
      } catch (error) {
        if (!isErrorOf(error, 'not_found')) removals.retry()
        throw error
      }
    },
    isEmpty: () => directory.size === 0,
    ids: () => directory.all().map(({ id }) => id),
    isName: directory.isName,
    find: directory.find,
    byId: directory.byId,
    isPassword: ({ smtp_digest }, password) =>
      timingSafeEqual(Buffer.from(passwordDigest(password)), Buffer.from(smtp_digest)),
    used: removals.used,
    async start() {
      if (!store.leadership.isMine()) return
      for (const id of deps.holders())
        // Another instance may have just made it.
        if (!directory.record(id) && !(await store.get(accountCollection, id))) await empty(id, null)
      await removals.start()
    },
    close: removals.close,
  }
}

/** Whether an account has to be opened again after a change, which ends its waits and event streams. */
function needsRestart(one: AccountRecord, other: AccountRecord): boolean {
  return (
    one.is_disabled !== other.is_disabled ||
    one.max_emails !== other.max_emails ||
    one.max_age_ms !== other.max_age_ms
  )
}

/** Counting more would block the event loop for long. */
const countedAtOnce = 100
/** Each takes about a kilobyte while it is not used. */
const maxAccounts = 10_000

function expiryAt(from: number, ttlMs: number | null): number | null {
  return ttlMs === null ? null : from + ttlMs
}

const passwordDigest = (password: string): string => hash('sha256', password, 'base64url')

function tooMany(count: number): LocalpostError {
  const message = `There are already ${count} accounts, which is the maximum. Remove some.`
  return new LocalpostError('too_many_accounts', message)
}

function taken(name: string): LocalpostError {
  return new LocalpostError('name_taken', `The account ${quote(name)} exists already. Choose another name.`)
}

const withoutPassword = 'The account "default" has no SMTP password. Submit with one of its API keys.'

function fixed(what: string): LocalpostError {
  return new LocalpostError('state_conflict', `The account "default" is always there and cannot be ${what}.`)
}
