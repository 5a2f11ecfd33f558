import type { InnerDomains } from '../domains/domains.ts'
import { startRechecks } from '../domains/rechecks.ts'
import { startRetention } from '../emails/retention.ts'
import type { Config } from '../options/options.ts'
import { startKeyExpiry } from '../sending/key-expiry.ts'
import type { Store } from '../store/store.ts'
import { reportErrors } from './notices.ts'
import type { Busy } from './settle.ts'

/** Begins what keeps an account in order in the background: retention, idempotency keys, and rechecks of domains. */
export function startUpkeep(
  config: Config,
  common: Omit<Parameters<typeof startRetention>[0], 'onError'> & { store: Store },
  domains: Pick<InnerDomains, 'verify'>,
): (Busy & { close(): Promise<void> })[] {
  return [
    startRetention({
      ...common,
      onError: reportErrors(config, 'Old emails could not be deleted; this will be retried.'),
    }),
    startKeyExpiry({
      ...common,
      onError: reportErrors(config, 'Expired idempotency keys could not be deleted; this will be retried.'),
    }),
    startRechecks({
      ...common,
      intervalMs: config.verifyIntervalMs,
      verify: (id) => domains.verify(id),
      onError: reportErrors(config, 'A domain could not be looked up in DNS; this will be retried.'),
    }),
  ]
}
