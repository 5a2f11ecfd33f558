import type { ServerDeps } from './deps.ts'
import type { Health } from './types.ts'

/** What there is, and whether it works. */
export async function readHealth(
  deps: Pick<ServerDeps, 'counts' | 'state' | 'listener' | 'version' | 'faults'>,
): Promise<Health> {
  const { status, smtp, warnings } = await deps.state()
  return {
    status,
    version: deps.version,
    smtp: { host: smtp.host, port: smtp.port },
    url: deps.listener()?.url ?? null,
    counts: await deps.counts(),
    faults: deps.faults.state(),
    warnings,
  }
}
