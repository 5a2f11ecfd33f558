import { audienceCollection, contactCollection } from '../audiences/audience.ts'
import { nullOn } from '../core/errors.ts'
import { inTime } from '../core/in-time.ts'
import { version } from '../core/version.ts'
import { domainCollection } from '../domains/domain.ts'
import { emailCollection } from '../emails/email.ts'
import type { Store } from '../store/store.ts'
import type { MetricFacts } from '../telemetry/metrics.ts'
import { templateCollection } from '../templates/template.ts'
import type { InstanceDeps, ServerDeps, ServerState } from './deps.ts'
import type { Health } from './schema.ts'

/** The state of the instance, and whether it works. */
export async function readHealth(
  deps: Pick<ServerDeps, 'config' | 'store' | 'state' | 'listener' | 'faults'>,
): Promise<Health> {
  const { status, warnings, refusal: _, ...state } = await deps.state()
  const listener = deps.listener()
  const url = listener?.url ?? null
  return {
    status,
    version,
    ...state,
    url,
    tracking_url: deps.config.publicUrl ?? url,
    trace_url: deps.config.traceUrl,
    counts: isAway(state) ? null : await countRecords(deps.store),
    faults: deps.faults.state(),
    relay: deps.config.relay !== null,
    silent_connections: isAway(state) ? null : await readSilent(deps.store, listener?.silentSince?.() ?? []),
    warnings,
  }
}

/**
 * The silent connections after which no mail came; null for none, and if the database does not say within a second.
 *
 * @param began  When each began, the newest last.
 */
async function readSilent(
  store: Pick<Store, 'page'>,
  began: readonly number[],
): Promise<Health['silent_connections']> {
  if (began.length === 0) return null
  const page = await inTime(
    nullOn('service_unavailable', store.page(emailCollection, { direction: 'desc', limit: 1 })),
    1000,
  )
  if (page === null) return null
  const lastMail = page.records[0]?.created ?? 0
  const since = began.filter((time) => time > lastMail)
  const last = since.at(-1)
  return last === undefined ? null : { count: since.length, last }
}

/** Whether the database hangs or is gone. Nothing more is asked of it then, so that the answer which says so is not late. */
const isAway = ({ database }: Pick<ServerState, 'database'>): boolean => database?.instances === null

/** Whether new mail is stored. */
export function isAccepting(status: ServerState['status']): boolean {
  return status === 'ok' || status === 'disk_low'
}

/** How many of each kind are stored; null while the database does not answer. */
async function countRecords(store: Pick<Store, 'count'>): Promise<Health['counts']> {
  const counting = Promise.all([
    store.count(emailCollection),
    store.count(domainCollection),
    store.count(audienceCollection),
    store.count(contactCollection),
    store.count(templateCollection),
  ])
  const counts = await nullOn('service_unavailable', counting)
  if (counts === null) return null
  const [emails, domains, audiences, contacts, templates] = counts
  return { emails, domains, audiences, contacts, templates }
}

/** What the metrics of an account are made of; those of `default` are about the whole instance. */
export async function readMetricFacts(
  deps: Pick<ServerDeps, 'state'> & {
    store: Pick<Store, 'count'>
    instance: Pick<InstanceDeps, 'facts'> | null
  },
): Promise<MetricFacts> {
  const state = await deps.state()
  const { status, store, database = null } = state
  const [records, instance] = await Promise.all([
    isAway(state) ? null : countRecords(deps.store),
    deps.instance?.facts(isAway(state)) ?? null,
  ])
  return {
    version,
    store,
    isAccepting: isAccepting(status),
    isDiskLow: status === 'disk_low',
    records,
    database,
    instance,
  }
}
