import { isErrorOf } from '../core/errors.ts'
import type { Counts, ServerDeps } from './deps.ts'
import type { Health } from './types.ts'

/** The state of the instance, and whether it works. */
export async function readHealth(
  deps: Pick<ServerDeps, 'config' | 'counts' | 'state' | 'listener' | 'version' | 'faults'>,
): Promise<Health> {
  const { status, store, database, smtp, smtps, warnings } = await deps.state()
  const url = deps.listener()?.url ?? null
  return {
    status,
    version: deps.version,
    store,
    ...(database && { database }),
    smtp: { host: smtp.host, port: smtp.port },
    ...(smtps && { smtps: { host: smtps.host, port: smtps.port } }),
    url,
    tracking_url: deps.config.publicUrl ?? url,
    counts: await countsNow(deps),
    faults: deps.faults.state(),
    warnings,
  }
}

async function countsNow({ counts }: Pick<ServerDeps, 'counts'>): Promise<Counts | null> {
  try {
    return await counts()
  } catch (error) {
    if (isErrorOf(error, 'service_unavailable')) return null
    throw error
  }
}
