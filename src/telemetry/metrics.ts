import type { Counts, DeliveryOutcome, WebhookOutcome } from '../core/counts.ts'
import { processStart } from '../core/machine.ts'
import type { DatabaseStatus, StoreFigures } from '../store/partitioned-store.ts'
import type { LoopDelay } from './event-loop.ts'
import type { Family, Metric, Sample } from './exposition.ts'

/** What metrics are made of. */
export interface MetricFacts {
  readonly version: string
  /** The kind of store: `memory`, `folder` or `postgresql`. */
  readonly store: string
  /** Whether new mail is accepted. */
  readonly isAccepting: boolean
  /** Whether the disk is almost full. */
  readonly isDiskLow: boolean
  /** Records of the account by their kind; null while the database does not answer. */
  readonly records: Readonly<Record<string, number>> | null
  /** null without a database. */
  readonly database: DatabaseStatus | null
  /** What concerns all accounts; null for callers who may see only one. */
  readonly instance: InstanceFacts | null
}

/** What concerns all accounts of an instance together. */
export interface InstanceFacts {
  readonly counts: Counts
  /** Open SMTP sessions of apps. */
  readonly sessions: number
  /** null while the database does not answer. */
  readonly totals: { emails: number; outbox: number; scheduled: number; webhooks: number } | null
  readonly figures: StoreFigures | null
  readonly loop: LoopDelay | null
}

/** All metrics with their values. Those of all accounts have none for callers who may see only one. */
export function familiesOf(facts: MetricFacts): Family[] {
  const { instance, database } = facts
  return [
    ...readAll(accountMetrics, facts),
    ...readAll(instanceMetrics, instance),
    ...readAll(databaseMetrics, instance && database),
  ]
}

function readAll<Facts>(rows: readonly MetricRow<Facts>[], facts: Facts | null): Family[] {
  return rows.map((metric) => ({ metric, samples: facts === null ? [] : samplesOf(metric.read(facts)) }))
}

/** A metric, and how its values are read from facts. */
interface MetricRow<Facts> extends Metric {
  read(facts: Facts): MetricValue
}

/**
 * One number, or several by the values of their labels, with spaces between: `GET /v1/emails 200`. Null and undefined:
 * no value.
 */
type MetricValue = number | null | undefined | ReadonlyMap<string | number, number>

function samplesOf(value: MetricValue): Sample[] {
  if (value === null || value === undefined) return []
  if (typeof value === 'number') return [{ labels: [], value }]
  return Array.from(value, ([key, count]) => ({ labels: String(key).split(' '), value: count }))
}

// No label has a value from mail, accounts, keys or paths of requests: labels have as many values as the program has routes,
// statuses and outcomes. `docs/guides/operators.md` has a table of all metrics.

/** What every caller may see. */
const accountMetrics: readonly MetricRow<MetricFacts>[] = [
  {
    name: 'localpost',
    type: 'info',
    help: 'Version and store of the instance.',
    labels: ['version', 'store'],
    read: ({ version, store }) => new Map([[`${version} ${store}`, 1]]),
  },
  gauge('localpost_accepting', 'Whether new mail is accepted.', ({ isAccepting }) => Number(isAccepting)),
  gauge('localpost_disk_low', 'Whether the disk of the data folder is almost full.', ({ isDiskLow }) =>
    Number(isDiskLow),
  ),
  gauge(
    'localpost_records',
    'Stored records of the account.',
    ({ records }) => records && new Map(Object.entries(records)),
    ['kind'],
  ),
  counter('process_cpu_seconds', 'CPU time of the process.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }),
  gauge('process_resident_memory_bytes', 'Resident memory of the process.', () => process.memoryUsage.rss()),
  gauge(
    'process_start_time_seconds',
    'Start of the process, in Unix time.',
    () => Math.round(processStart) / 1000,
  ),
]

// All outcomes exist from the start, so that a rate shows the first of its kind.
const noDeliveries = (['capture', 'relay'] as const).flatMap((via) =>
  (['delivered', 'deferred', 'bounced', 'suppressed', 'failed'] as const satisfies DeliveryOutcome[]).map(
    (outcome) => [`${via} ${outcome}`, 0] as const,
  ),
)
const noWebhookAttempts = (['delivered', 'retried', 'failed'] as const satisfies WebhookOutcome[]).map(
  (outcome) => [outcome, 0] as const,
)

const instanceMetrics: readonly MetricRow<InstanceFacts>[] = [
  counter('localpost_smtp_sessions', 'SMTP connections of apps.', ({ counts }) => counts.smtp.sessions),
  gauge(
    'localpost_smtp_sessions_open',
    'SMTP connections of apps that are open.',
    ({ sessions }) => sessions,
  ),
  counter(
    'localpost_smtp_messages',
    'Messages that apps submitted over SMTP and that were accepted.',
    ({ counts }) => counts.smtp.messages,
  ),
  counter(
    'localpost_smtp_refusals',
    'Refusals to apps over SMTP, by the code of the reply.',
    ({ counts }) => counts.smtp.refusals,
    ['code'],
  ),
  counter(
    'localpost_http_requests',
    'Answers to HTTP requests, by the pattern of the route; other: no route.',
    ({ counts }) => counts.requests,
    ['method', 'route', 'status'],
  ),
  counter(
    'localpost_deliveries',
    'Recipients that the outbox tried to deliver to, by where it delivered and the outcome.',
    ({ counts }) => new Map([...noDeliveries, ...counts.deliveries]),
    ['via', 'outcome'],
  ),
  counter(
    'localpost_webhook_attempts',
    'Tries of webhooks, by outcome; retried: failed, and tried again later.',
    ({ counts }) => new Map([...noWebhookAttempts, ...counts.webhooks]),
    ['outcome'],
  ),
  gauge(
    'localpost_webhooks_waiting',
    'Deliveries of webhooks that are due or are tried again later.',
    ({ totals }) => totals?.webhooks,
  ),
  gauge(
    'localpost_outbox_waiting',
    'Emails with recipients that have no outcome yet.',
    ({ totals }) => totals?.outbox,
  ),
  gauge(
    'localpost_scheduled_waiting',
    'Emails that are sent at a later time.',
    ({ totals }) => totals?.scheduled,
  ),
  gauge('localpost_waits_open', 'Callers that wait for mail.', ({ counts }) => counts.waits.open),
  gauge('localpost_store_emails', 'Stored emails of all accounts.', ({ totals }) => totals?.emails),
  gauge(
    'localpost_store_bytes',
    'Size of the stored messages and bodies; in a database, of all its tables.',
    ({ figures }) => figures?.bytes,
  ),
  counter('localpost_store_commits', 'Commits that this process stored.', ({ figures }) => figures?.commits),
  counter('localpost_store_errors', 'Writes to the store that failed.', ({ figures }) => figures?.failures),
  gauge(
    'localpost_event_loop_delay_seconds',
    'How late timers ran; it is measured anew at most every ten seconds.',
    ({ loop }) => loop && new Map(Object.entries(loop)),
    ['statistic'],
  ),
  gauge(
    'nodejs_heap_size_used_bytes',
    'Heap of JavaScript that is in use.',
    () => process.memoryUsage().heapUsed,
  ),
]

const databaseMetrics: readonly MetricRow<DatabaseStatus>[] = [
  gauge('localpost_database_up', 'Whether the database answers.', ({ instances }) =>
    Number(instances !== null),
  ),
  // An older word for the leader; dashboards may read it.
  gauge('localpost_database_turn', 'Whether this instance is the leader.', ({ has_turn }) =>
    Number(has_turn),
  ),
  counter('localpost_database_commits', 'The number of the last commit.', ({ last_commit }) => last_commit),
  gauge(
    'localpost_database_connections',
    'Connections, and statements that wait for one.',
    ({ connections }) => connections && new Map(Object.entries(connections)),
    ['state'],
  ),
  gauge('localpost_database_instances', 'Instances that use the schema.', ({ instances }) => instances),
  gauge('localpost_database_round_trip_seconds', 'Time of one statement.', ({ round_trip_ms }) =>
    round_trip_ms === null ? null : round_trip_ms / 1000,
  ),
]

/** Every metric, also those that only some may see. */
export const metricRows: readonly Metric[] = [...accountMetrics, ...instanceMetrics, ...databaseMetrics]

function gauge<Facts>(
  name: string,
  help: string,
  read: (facts: Facts) => MetricValue,
  labels: readonly string[] = [],
): MetricRow<Facts> {
  return { name, type: 'gauge', help, labels, read }
}

function counter<Facts>(...given: Parameters<typeof gauge<Facts>>): MetricRow<Facts> {
  return { ...gauge(...given), type: 'counter' }
}
