import { z } from 'zod'
import type { Accounts } from '../../accounts/accounts.ts'
import {
  accountChangesSchema,
  accountInfoSchema,
  accountInputSchema,
  createdAccountSchema,
  renewedPasswordSchema,
} from '../../accounts/schema.ts'
import { noAccount } from '../../accounts/account.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../route.ts'
import { deletedSchema } from '../schemas.ts'

/**
 * `/dev/accounts`.
 *
 * @param maySee  Whether the caller with these headers may see an account.
 */
export function accountRoutes(
  accounts: Accounts,
  maySee: (headers: Pick<Headers, 'get'>, name: string) => boolean,
): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/accounts',
      summary: 'List the accounts that the caller may see, `default` first',
      success: { schema: z.strictObject({ accounts: z.array(accountInfoSchema) }) },
      handler: async ({ headers }) => ({
        accounts: (await accounts.list()).filter(({ name }) => maySee(headers, name)),
      }),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/accounts',
      summary: 'Make an account; only this answer has its API key and SMTP password',
      body: { schema: accountInputSchema, readBy: 'resource', optional: true },
      success: { status: 201, schema: createdAccountSchema },
      errors: ['name_taken', 'too_many_accounts', 'store_full', 'store_read_only'],
      handler: ({ body }) => accounts.create(body),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/accounts/{name}',
      summary: 'One account',
      success: { schema: accountInfoSchema },
      errors: ['not_found'],
      handler({ params, headers }) {
        if (!maySee(headers, params.name)) throw noAccount(params.name)
        return accounts.get(params.name)
      },
    }),
    defineRoute({
      ...common,
      method: 'PATCH',
      path: '/dev/accounts/{name}',
      summary: 'Change the limits of an account, or disable it',
      body: { schema: accountChangesSchema, readBy: 'resource' },
      success: { schema: accountInfoSchema },
      errors: ['not_found', 'state_conflict'],
      handler: ({ params, body }) => accounts.update(params.name, body),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/accounts/{name}/smtp-password',
      summary: 'Give an account a new SMTP password, which only this answer has; the old one ends',
      success: { schema: renewedPasswordSchema },
      errors: ['not_found', 'state_conflict', 'store_full', 'store_read_only'],
      handler: ({ params }) => accounts.renewPassword(params.name),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/dev/accounts/{name}',
      summary: 'Remove an account with everything in it',
      success: { schema: deletedSchema },
      errors: ['not_found', 'state_conflict'],
      async handler({ params }) {
        await accounts.remove(params.name)
        return { deleted: 1 }
      },
    }),
  ]
}

const common = { tag: 'Accounts', access: 'local' } as const
