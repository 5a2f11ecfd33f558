import type {
  AccountChanges,
  AccountInfo,
  AccountInput,
  CreatedAccount,
  RenewedPassword,
} from '../accounts/types.ts'
import type { Audience, Contact } from '../audiences/types.ts'
import type { CreatedDomain, DomainDetail, DomainListItem } from '../domains/types.ts'
import type { EmailDetail, EmailListItem } from '../emails/types.ts'
import type { SendRequest } from '../emails/send-types.ts'
import type { TagChanges, TagCount } from '../inbox/types.ts'
import type { ListPage } from '../core/lists.ts'
import { createCall, type CallOptions, type ClientListOptions } from './call.ts'
import type { ClientOptions } from './settings.ts'

/**
 * The eight operations of `/v1`, and the accounts and tags of a Localpost. Every one throws LocalpostError; see
 * {@link createClient}.
 */
export interface Client {
  readonly emails: {
    /** @param options.idempotencyKey  The same request with the same key is sent once. */
    send(request: SendRequest, options?: CallOptions & { idempotencyKey?: string }): Promise<{ id: string }>
    list(options?: ClientListOptions): Promise<ListPage<EmailListItem>>
    get(id: string, options?: CallOptions): Promise<EmailDetail>
  }
  readonly domains: {
    create(request: { name: string }, options?: CallOptions): Promise<CreatedDomain>
    list(options?: ClientListOptions): Promise<ListPage<DomainListItem>>
    get(id: string, options?: CallOptions): Promise<DomainDetail>
  }
  readonly audiences: {
    list(options?: ClientListOptions): Promise<ListPage<Audience>>
    readonly contacts: {
      list(audienceId: string, options?: ClientListOptions): Promise<ListPage<Contact>>
    }
  }
  /**
   * The accounts of a Localpost, by its control API: they need a key of the account `default`, except to read one's own
   * account.
   */
  readonly accounts: {
    /** @returns The account with its API key and SMTP password, which no other answer contains. */
    create(input?: AccountInput, options?: CallOptions): Promise<CreatedAccount>
    /** `default` first. */
    list(options?: CallOptions): Promise<AccountInfo[]>
    get(name: string, options?: CallOptions): Promise<AccountInfo>
    update(name: string, changes: AccountChanges, options?: CallOptions): Promise<AccountInfo>
    /** Gives an account a new SMTP password, which no other answer contains. The old one is refused from then on. */
    renewPassword(name: string, options?: CallOptions): Promise<RenewedPassword>
    /** Removes an account with everything in it. */
    remove(name: string, options?: CallOptions): Promise<void>
  }
  /** The tags of the mails in a Localpost, by its control API. */
  readonly inbox: {
    /** The most frequent first, at most 1,000; then the other tags with a set colour. */
    tags(options?: CallOptions): Promise<TagCount[]>
    /** Sets the colour of a tag for everybody; null resets it to the one derived from its name. */
    updateTag(tag: string, changes: TagChanges, options?: CallOptions): Promise<TagCount>
  }
  /**
   * The client of another account, at the same server with the same options.
   *
   * @param account  As `accounts.create()` answered; its `api_key` is used.
   * @example
   * const account = await client.accounts.create({ ttl_ms: 3_600_000 })
   * await client.account(account).emails.list()
   * await client.accounts.remove(account.name)
   */
  account(account: Pick<CreatedAccount, 'api_key'>): Client
}

/**
 * A client of the service's interface, for the service itself and for Localpost. It has the types of the library and
 * none of its code: nothing but `fetch` is needed.
 *
 * @returns Operations that throw a LocalpostError with the code of the answer; `unexpected_response` with status and
 *   text where the answer is not one of the interface, `request_failed` where there was none, `request_timeout` where
 *   it took too long. An aborted `signal` throws its own reason.
 * @throws invalid_option for an unknown option or a wrong value; neither key nor password is quoted.
 * @example
 * const client = createClient({
 *   url: process.env['LOCALPOST_URL'] ?? 'http://127.0.0.1:8025',
 *   apiKey: process.env['LOCALPOST_API_KEY'] ?? '',
 * })
 * const { id } = await client.emails.send({ from: 'Acme <hi@acme.com>', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
 */
export function createClient(options: ClientOptions): Client {
  const { call, postOnce, list } = createCall(options)
  return {
    emails: {
      send: async (request, given) => postOnce(['v1', 'emails'], request, given),
      list: async (given) => list('emails', ['v1', 'emails'], given),
      get: async (id, given) => call('GET', ['v1', 'emails', id], given),
    },
    domains: {
      create: async (request, given) => call('POST', ['v1', 'domains'], given, request),
      list: async (given) => list('domains', ['v1', 'domains'], given),
      get: async (id, given) => call('GET', ['v1', 'domains', id], given),
    },
    audiences: {
      list: async (given) => list('audiences', ['v1', 'audiences'], given),
      contacts: {
        list: async (audienceId, given) =>
          list('contacts', ['v1', 'audiences', audienceId, 'contacts'], given),
      },
    },
    accounts: {
      create: async (input = {}, given) => call('POST', ['dev', 'accounts'], given, input),
      async list(given) {
        const { accounts } = await call<{ accounts: AccountInfo[] }>('GET', ['dev', 'accounts'], given)
        return accounts
      },
      get: async (name, given) => call('GET', ['dev', 'accounts', name], given),
      update: async (name, changes, given) => call('PATCH', ['dev', 'accounts', name], given, changes),
      renewPassword: async (name, given) =>
        call('POST', ['dev', 'accounts', name, 'smtp-password'], given, {}),
      async remove(name, given) {
        await call('DELETE', ['dev', 'accounts', name], given)
      },
    },
    inbox: {
      async tags(given) {
        const { tags } = await call<{ tags: TagCount[] }>('GET', ['dev', 'inbox', 'tags'], given)
        return tags
      },
      updateTag: async (tag, changes, given) =>
        call('PATCH', ['dev', 'inbox', 'tags'], given, { ...changes, tag }),
    },
    // From JavaScript, the account may be missing: the key is checked.
    account: ({ api_key: apiKey } = { api_key: '' }) => createClient({ ...options, apiKey }),
  }
}

export { LocalpostError } from '../core/errors.ts'
export type { AccountChanges, AccountInfo, AccountInput, CreatedAccount } from '../accounts/types.ts'
export type { TagChanges, TagColor, TagCount } from '../inbox/types.ts'
export type { ErrorBody, ErrorCode, FieldError } from '../core/errors.ts'
export type { CallOptions, ClientListOptions } from './call.ts'
export type { ClientOptions } from './settings.ts'
