import type { AccountRecord } from './account.ts'
import type { AccountChanges, AccountInfo, AccountInput, CreatedAccount, RenewedPassword } from './types.ts'

/**
 * Isolated accounts on one server, each with its own mail, domains, audiences, templates, webhooks, rules, faults and
 * keys.
 */
export interface Accounts {
  /**
   * Creates an account with an API key and SMTP credentials. They are shown only in this answer.
   *
   * @throws validation_error, name_taken, too_many_accounts.
   */
  create(input?: AccountInput): Promise<CreatedAccount>
  /** `default` first, then the others by name. */
  list(): Promise<AccountInfo[]>
  /** @throws not_found. */
  get(name: string): Promise<AccountInfo>
  /** Changes limits, or disables the account. @throws not_found, validation_error, state_conflict for `default`. */
  update(name: string, changes: AccountChanges): Promise<AccountInfo>
  /**
   * Gives an account a new SMTP password, shown only in this answer. The old one is refused from then on, even in
   * open sessions; API keys stay valid.
   *
   * @throws not_found, state_conflict for `default`.
   */
  renewPassword(name: string): Promise<RenewedPassword>
  /** Removes an account with all its data; its waits and connections end. @throws not_found, state_conflict for `default`. */
  remove(name: string): Promise<void>
}

/** The accounts, with further methods for the server. */
export interface InnerAccounts extends Accounts {
  /** Whether `default` is the only account. */
  isEmpty(): boolean
  ids(): string[]
  /** Whether an account has this name, even if it is disabled. */
  isName(name: string): boolean
  /** The account of a name; null if there is none, or if it is disabled or being removed. */
  find(name: string): AccountRecord | null
  /** The same by its id. */
  byId(id: string): AccountRecord | null
  /** Whether a password is the SMTP password of an account. */
  isPassword(account: AccountRecord, password: string): boolean
  /** Notes that an account was used, which postpones its removal. */
  used(account: AccountRecord): void
  /**
   * Finishes removals that a crash interrupted, and removes expired accounts from then on. Does nothing unless this
   * instance is the leader; called again when it becomes the leader.
   */
  start(): Promise<void>
  close(): Promise<void>
}
