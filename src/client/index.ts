import type {
  AccountChanges,
  AccountInfo,
  AccountInput,
  CreatedAccount,
  RenewedPassword,
} from '../accounts/types.ts'
import type { Audience, Contact } from '../audiences/types.ts'
import type { CreatedDomain, DomainDetail, DomainListItem } from '../domains/types.ts'
import type { EmailDetail, EmailListItem, SendRequest } from '../emails/types.ts'
import type { TagChanges, TagCount } from '../inbox/types.ts'
import { assertArguments } from '../core/known-options.ts'
import type { ListPage } from '../core/lists.ts'
import { createCall, type CallOptions, type ClientListOptions } from './call.ts'
import type { ClientOptions } from './settings.ts'

/**
 * The eight operations of `/v1`, and the accounts and tags of a Localpost. Every one throws LocalpostError; see {@link createClient}.
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
 *   baseUrl: process.env['EMAIL_URL'] ?? 'http://127.0.0.1:8025',
 *   apiKey: process.env['EMAIL_KEY'] ?? '',
 * })
 * const { id } = await client.emails.send({ from: 'Acme <hi@acme.com>', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
 */
export function createClient(options: ClientOptions): Client {
  assertArguments(arguments, 1, 'createClient()')
  const { get, post, list, control } = createCall(options)
  return {
    emails: {
      send: exact('emails.send()', 2, (request, given) => post(['emails'], request, given, true)),
      list: exact('emails.list()', 1, (given) => list('emails', ['emails'], given)),
      get: exact('emails.get()', 2, (id, given) => get(['emails', id], given)),
    },
    domains: {
      create: exact('domains.create()', 2, (request, given) => post(['domains'], request, given)),
      list: exact('domains.list()', 1, (given) => list('domains', ['domains'], given)),
      get: exact('domains.get()', 2, (id, given) => get(['domains', id], given)),
    },
    audiences: {
      list: exact('audiences.list()', 1, (given) => list('audiences', ['audiences'], given)),
      contacts: {
        list: exact('audiences.contacts.list()', 2, (audienceId, given) =>
          list('contacts', ['audiences', audienceId, 'contacts'], given),
        ),
      },
    },
    accounts: {
      create: exact('accounts.create()', 2, (input = {}, given) =>
        control('POST', ['accounts'], given, input),
      ),
      list: exact('accounts.list()', 1, async (given) => {
        const { accounts } = await control<{ accounts: AccountInfo[] }>('GET', ['accounts'], given)
        return accounts
      }),
      get: exact('accounts.get()', 2, (name, given) => control('GET', ['accounts', name], given)),
      update: exact('accounts.update()', 3, (name, changes, given) =>
        control('PATCH', ['accounts', name], given, changes),
      ),
      renewPassword: exact('accounts.renewPassword()', 2, (name, given) =>
        control('POST', ['accounts', name, 'smtp-password'], given),
      ),
      remove: exact('accounts.remove()', 2, async (name, given) => {
        await control('DELETE', ['accounts', name], given)
      }),
    },
    inbox: {
      tags: exact('inbox.tags()', 1, async (given) => {
        const { tags } = await control<{ tags: TagCount[] }>('GET', ['inbox', 'tags'], given)
        return tags
      }),
      updateTag: exact('inbox.updateTag()', 3, (tag, changes, given) =>
        control('PATCH', ['inbox', 'tags'], given, { ...changes, tag }),
      ),
    },
    account(...given) {
      assertArguments(given, 1, 'account()')
      const [{ api_key: apiKey } = { api_key: '' }] = given
      return createClient({ ...options, apiKey })
    },
  }
}

/** Makes an operation refuse arguments that it does not take. */
function exact<Given extends unknown[], T>(
  name: string,
  most: Required<Given>['length'],
  run: (...given: Given) => Promise<T>,
): (...given: Given) => Promise<T> {
  return async (...given) => {
    assertArguments(given, most, name)
    return run(...given)
  }
}

export { LocalpostError } from '../core/errors.ts'
export type { AccountChanges, AccountInfo, AccountInput, CreatedAccount } from '../accounts/types.ts'
export type { TagChanges, TagColor, TagCount } from '../inbox/types.ts'
export type { ErrorBody, ErrorCode, FieldError } from '../core/errors.ts'
export type { CallOptions, ClientListOptions } from './call.ts'
export type { ClientOptions } from './settings.ts'
