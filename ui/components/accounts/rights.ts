import type { AccountInfo } from '../../../src/accounts/types.ts'
import type { SessionState } from '../../../src/server/schema.ts'

/** The actions that the page offers its caller; the server decides. */
export interface Rights {
  /** Making, changing and removing accounts. */
  manage: boolean
  /** Making and removing API keys of the shown account. */
  keys: boolean
}

export function rightsOf(session: SessionState | null, all: readonly AccountInfo[] | null): Rights {
  const isKey = session?.caller === 'key' && session.scope === 'full'
  // A key of another account sees only that account.
  const ofDefault = all?.some(({ name }) => name === 'default') ?? false
  const manage = session?.caller === 'local' || session?.role === 'admin' || (isKey && ofDefault)
  return { manage, keys: manage || isKey }
}
