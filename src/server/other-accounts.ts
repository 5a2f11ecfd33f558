import type { Scope } from '../keys/types.ts'

/** The HTTP interface of one account. */
export interface AccountHttp {
  /** Answers a request that the interface of `default` passes on, with h3's context of it. */
  answer(request: Request, context: Record<string, unknown>): Response | Promise<Response>
}

/** The owner of an API key. */
export interface KeyOwner {
  /** The id of the account. */
  readonly id: string
  readonly scope: Scope
}

/** The accounts other than `default`, each with its own HTTP interface. */
export interface OtherAccounts {
  isEmpty(): boolean
  /** The account of an API key; null for keys of `default`, and for values that are no key. */
  ofKey(key: string): KeyOwner | null
  /** The same by the SHA-256 of the key in hex. */
  ofDigest(digest: string): KeyOwner | null
  /** The id of the account with this name; null if there is none that can be used. */
  ofName(name: string): string | null
  /** Whether there is an account of this id that can be used. */
  has(id: string): boolean
  /**
   * Opens an account, which stays open until `release` is called. This counts as use; `used` extends it.
   *
   * @throws not_found.
   */
  open(id: string): Promise<{ readonly app: AccountHttp; used(): void; release(): void }>
}
