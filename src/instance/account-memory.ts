import type { AccountSide } from '../capture/account-side.ts'
import { createSessionLog, type SessionLog } from '../capture/session-log.ts'
import { keptInStore } from '../capture/sessions-in-store.ts'
import { createSharedTranscripts, createTranscripts, type Transcripts } from '../capture/transcripts.ts'
import { createIds, type Ids } from '../core/ids.ts'
import type { RandomSource } from '../core/random.ts'
import { createFaults, type ArmedFaults } from '../faults/faults.ts'
import { providerNames } from '../providers/names.ts'
import { openSharedFaults } from '../faults/shared-faults.ts'
import type { Config } from '../options/options.ts'
import { createRules, type InnerRules } from '../rules/rules.ts'
import { createSharedAttempts } from '../rules/attempts.ts'
import { createVerdicts } from '../rules/verdicts.ts'
import { createRequestLog, createSharedRequestLog, type RequestLog } from '../server/request-log.ts'
import type { Following } from '../store/follow.ts'
import type { Store } from '../store/store.ts'
import { collections } from './collections.ts'
import { simulator } from './simulator.ts'

/**
 * The state of an account that is only in memory. It stays while the account is closed, so that closing it changes
 * nothing: logs and transcripts, faults, how often a recipient was greylisted, and where ids and the random sequences
 * of a seed continue.
 */
export interface AccountMemory {
  ids: Ids
  randomSources: (purpose: string) => RandomSource
  rules: InnerRules
  /** By the rules and the simulator. */
  verdictOf: AccountSide['verdictOf']
  faults: ArmedFaults
  transcripts: Transcripts
  smtpSessions: SessionLog
  log: RequestLog
}

/** @param store  Holds only the records of this account. */
export async function createAccountMemory(
  { clock, rules: given }: Pick<Config, 'clock' | 'rules'>,
  randomSources: (purpose: string) => RandomSource,
  store: Store,
  following: Following,
): Promise<AccountMemory> {
  const sources = new Map<string, RandomSource>()
  function sourceOf(purpose: string): RandomSource {
    const source = sources.get(purpose) ?? randomSources(purpose)
    sources.set(purpose, source)
    return source
  }
  const ids = createIds(clock, (prefix) => sourceOf(`ids.${prefix}`).bytes)
  if (store.isShared) followIds(store, ids)
  await raiseIds(store, ids)
  const rules = await createRules({ store, given, following })
  const attempts = store.isShared ? createSharedAttempts(store, clock) : undefined
  return {
    ids,
    randomSources: sourceOf,
    rules,
    verdictOf: createVerdicts(rules.find, attempts, simulator),
    faults: store.isShared
      ? await openSharedFaults({ store, following, random: sourceOf('faults'), surfaces: providerNames })
      : createFaults(providerNames, sourceOf('faults')),
    transcripts: store.isShared ? createSharedTranscripts(store) : createTranscripts(),
    smtpSessions: createSessionLog({
      clock,
      ids,
      kept: store.isShared ? keptInStore(store, clock) : undefined,
    }),
    log: store.isShared ? createSharedRequestLog({ store, clock, ids }) : createRequestLog({ clock, ids }),
  }
}

/** Makes every new id greater than all that are stored. */
async function raiseIds(store: Store, ids: Ids): Promise<void> {
  for (const collection of collections) {
    const { records } = await store.page(collection, { direction: 'desc', limit: 1 })
    for (const { id } of records) ids.raiseTo(id)
  }
}

/** Makes every new id greater than the known ids of other instances, whose clocks may differ. */
function followIds(store: Store, ids: Ids): void {
  store.changes((change) => {
    if (change.op === 'insert') ids.raiseTo(change.id)
  })
}
