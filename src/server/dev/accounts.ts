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
import { defineRoutes, type Route } from '../define-routes.ts'

const { get, post, patch, remove } = defineRoutes({ tag: 'Accounts', access: 'local' })

/** `/dev/accounts`. @param maySee  Whether the caller with these headers may see an account. */
export function accountRoutes(
  accounts: Accounts,
  maySee: (headers: Pick<Headers, 'get'>, name: string) => boolean,
): Route[] {
  return [
    get('/dev/accounts', {
      summary: 'List the accounts that the caller may see, `default` first',
      success: { schema: z.strictObject({ accounts: z.array(accountInfoSchema) }) },
      handler: async ({ headers }) => ({
        accounts: (await accounts.list()).filter(({ name }) => maySee(headers, name)),
      }),
    }),
    post('/dev/accounts', {
      needs: 'admin',
      summary: 'Make an account; only this answer has its API key and SMTP password',
      body: { schema: accountInputSchema, readBy: 'resource', optional: true },
      success: { status: 201, schema: createdAccountSchema },
      errors: ['name_taken', 'too_many_accounts', 'store_full', 'store_read_only'],
      handler: ({ body }) => accounts.create(body),
    }),
    get('/dev/accounts/{name}', {
      summary: 'One account',
      success: { schema: accountInfoSchema },
      handler({ params, headers }) {
        if (!maySee(headers, params.name)) throw noAccount(params.name)
        return accounts.get(params.name)
      },
    }),
    patch('/dev/accounts/{name}', {
      needs: 'admin',
      summary: 'Change the limits of an account, or disable it',
      body: { schema: accountChangesSchema, readBy: 'resource' },
      success: { schema: accountInfoSchema },
      errors: ['state_conflict'],
      handler: ({ params, body }) => accounts.update(params.name, body),
    }),
    post('/dev/accounts/{name}/smtp-password', {
      needs: 'admin',
      summary: 'Give an account a new SMTP password, which only this answer has; the old one ends',
      success: { schema: renewedPasswordSchema },
      errors: ['state_conflict', 'store_full', 'store_read_only'],
      handler: ({ params }) => accounts.renewPassword(params.name),
    }),
    remove('/dev/accounts/{name}', {
      needs: 'admin',
      summary: 'Remove an account with everything in it',
      errors: ['state_conflict'],
      handler: ({ params }) => accounts.remove(params.name),
    }),
  ]
}
