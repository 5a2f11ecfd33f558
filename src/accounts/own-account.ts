import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { noAccount } from './account.ts'
import type { Accounts } from './accounts.ts'

/** The accounts as a caller with a key of one account sees them: only that account, and read-only. */
export function ownAccount(accounts: Accounts, own: string): Accounts {
  const refuse = async (): Promise<never> => {
    const message = `A key of the account ${quote(own)} may not make, change or remove accounts. Use a key of the account "default".`
    throw new LocalpostError('insufficient_scope', message)
  }
  const change = async (name: string): Promise<never> => {
    if (name !== own) throw noAccount(name)
    return refuse()
  }
  return {
    create: refuse,
    list: async () => [await accounts.get(own)],
    async get(name) {
      if (name !== own) throw noAccount(name)
      return accounts.get(own)
    },
    update: change,
    renewPassword: change,
    remove: change,
  }
}
