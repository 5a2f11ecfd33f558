import { audienceCollection, contactCollection } from '../audiences/audience.ts'
import { isErrorOf } from '../core/errors.ts'
import { processStart } from '../core/machine.ts'
import { version } from '../core/version.ts'
import { domainCollection } from '../domains/domain.ts'
import { emailCollection } from '../emails/email.ts'
import type { Store } from '../store/store.ts'
import { templateCollection } from '../templates/template.ts'
import type { ServerDeps } from './deps.ts'
import type { Health } from './types.ts'

/** The state of the instance, and whether it works. */
export async function readHealth(
  deps: Pick<ServerDeps, 'config' | 'store' | 'state' | 'listener' | 'faults'>,
): Promise<Health> {
  const { status, warnings, ...state } = await deps.state()
  const listener = deps.listener()
  const url = listener?.url ?? null
  return {
    status,
    version,
    ...state,
    url,
    tracking_url: deps.config.publicUrl ?? url,
    trace_url: deps.config.traceUrl,
    counts: await countAll(deps.store),
    faults: deps.faults.state(),
    relay: deps.config.relay !== null,
    silent_connections: await silentSince(deps.store, listener?.silentSince?.() ?? []),
    warnings,
  }
}

/**
 * The silent connections after which no mail came.
 *
 * @param began  When each began, the newest last.
 */
async function silentSince(store: Store, began: readonly number[]): Promise<Health['silent_connections']> {
  if (began.length === 0) return null
  let lastMail = 0
  try {
    const { records } = await store.page(emailCollection, { direction: 'desc', limit: 1 })
    lastMail = records[0]?.created ?? 0
  } catch (error) {
    if (!isErrorOf(error, 'service_unavailable')) throw error
  }
  const since = began.filter((time) => time > lastMail)
  const last = since.at(-1)
  return last === undefined ? null : { count: since.length, last }
}

/** How many of each kind are stored; null while the database does not answer. */
async function countAll(store: Store): Promise<Health['counts']> {
  try {
    const [emails, domains, audiences, contacts, templates] = await Promise.all([
      store.count(emailCollection),
      store.count(domainCollection),
      store.count(audienceCollection),
      store.count(contactCollection),
      store.count(templateCollection),
    ])
    return { emails, domains, audiences, contacts, templates }
  } catch (error) {
    if (isErrorOf(error, 'service_unavailable')) return null
    throw error
  }
}

/** A metric in the text format of Prometheus. */
interface Metric {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  /** By labels, as `kind="emails"`; `""` for a value without any. */
  readonly values: Readonly<Record<string, number>>
}

/** The answer of `/dev/metrics`: the state of the instance in the text format of Prometheus. */
export function metricsOf(health: Health): string {
  const { status, version, store, counts, database } = health
  const { rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const metrics: Metric[] = [
    gauge('localpost_info', 'Version and store of the instance.', {
      [`version="${version}",store="${store}"`]: 1,
    }),
    gauge('localpost_accepting', 'Whether new mail is accepted.', {
      '': Number(status === 'ok' || status === 'disk_low'),
    }),
    counter('process_cpu_seconds_total', 'CPU time of the process.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', { '': rss }),
    gauge('process_start_time_seconds', 'Start of the process, in Unix time.', {
      '': Math.round(processStart) / 1000,
    }),
  ]
  if (counts) {
    const values = Object.entries(counts).map(([kind, count]) => [`kind="${kind}"`, count])
    metrics.push(gauge('localpost_records', 'Stored records of the account.', Object.fromEntries(values)))
  }
  if (database) metrics.push(...databaseMetrics(database))
  return metrics.map(textOf).join('')
}

function databaseMetrics({
  instances,
  round_trip_ms,
  has_turn,
  last_commit,
  connections,
}: NonNullable<Health['database']>): Metric[] {
  const { used, idle, waiting } = connections
  const values = { 'state="used"': used, 'state="idle"': idle, 'state="waiting"': waiting }
  return [
    gauge('localpost_database_up', 'Whether the database answers.', { '': Number(instances !== null) }),
    // An older word for the leader; dashboards may read it.
    gauge('localpost_database_turn', 'Whether this instance is the leader.', { '': Number(has_turn) }),
    counter('localpost_database_commits_total', 'The number of the last commit.', last_commit),
    gauge('localpost_database_connections', 'Connections, and statements that wait for one.', values),
    ...(instances === null
      ? []
      : [gauge('localpost_database_instances', 'Instances that use the schema.', { '': instances })]),
    ...(round_trip_ms === null
      ? []
      : [
          gauge('localpost_database_round_trip_seconds', 'Time of one statement.', {
            '': round_trip_ms / 1000,
          }),
        ]),
  ]
}

const gauge = (name: string, help: string, values: Metric['values']): Metric => ({
  name,
  type: 'gauge',
  help,
  values,
})
const counter = (name: string, help: string, value: number): Metric => ({
  name,
  type: 'counter',
  help,
  values: { '': value },
})

function textOf({ name, type, help, values }: Metric): string {
  const lines = Object.entries(values).map(
    ([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
