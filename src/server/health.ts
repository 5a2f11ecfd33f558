import type { ServerDeps } from './deps.ts'
import type { Health } from './types.ts'

/** What there is, and whether it works. */
export async function readHealth(
  deps: Pick<ServerDeps, 'config' | 'counts' | 'state' | 'listener' | 'version' | 'faults'>,
): Promise<Health> {
  const { status, smtp, warnings } = await deps.state()
  const url = deps.listener()?.url ?? null
  return {
    status,
    version: deps.version,
    smtp: { host: smtp.host, port: smtp.port },
    url,
    tracking_url: deps.config.publicUrl ?? url,
    counts: await deps.counts(),
    faults: deps.faults.state(),
    warnings,
  }
}
