import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { Collection, StoredRecord } from '../store/store.ts'
import type { AccountInfo } from './types.ts'

/** An account as stored. All its data is in the partition of the store whose name is its id. */
export interface AccountRecord extends StoredRecord, Omit<AccountInfo, 'counts'> {
  /** SHA-256 of the SMTP password, in base64url. The password is 24 random bytes, so it needs no slow hash. */
  smtp_digest: string
  /** Whether its removal has begun. It is finished at the next start. */
  is_removed: boolean
}

export const accountCollection: Collection<AccountRecord> = {
  name: 'accounts',
  indexes: { name: { on: ['name'], unique: true } },
}

/** The error for a caller who names an account that does not exist or that the caller may not see. */
export function noAccount(name: string): LocalpostError {
  return new LocalpostError(
    'not_found',
    `There is no account ${quote(name)}. Check the name: the account may have been removed or disabled.`,
  )
}
