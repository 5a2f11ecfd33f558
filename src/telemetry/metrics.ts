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

/** A metric, and how its values are read. */
interface MetricRow extends Metric {
  read(facts: MetricFacts): Iterable<Sample>
}

type Values = Readonly<Record<string, number>>

const one = (value: number | null | undefined): Sample[] =>
  value === null || value === undefined ? [] : [{ labels: [], value }]
const byLabel = (values: Values | null | undefined): Sample[] =>
  Object.entries(values ?? {}).map(([label, value]) => ({ labels: [label], value }))
/** A metric of which the caller sees nothing if it may see only one account. */
const ofInstance =
  (read: (facts: InstanceFacts) => Iterable<Sample>): MetricRow['read'] =>
  ({ instance }) =>
    instance ? read(instance) : []
const ofDatabase =
  (read: (database: DatabaseStatus) => Iterable<Sample>): MetricRow['read'] =>
  ({ instance, database }) =>
    instance && database ? read(database) : []

/** A tally whose keys consist of the values of the labels. */
function* tallied(tally: ReadonlyMap<string | number, number>): Generator<Sample> {
  for (const [key, value] of tally) yield { labels: String(key).split(' '), value }
}

// All of these exist from the start, so that a rate shows the first of its kind.
const ways = ['capture', 'relay'] as const
const deliveryOutcomes = [
  'delivered',
  'deferred',
  'bounced',
  'suppressed',
  'failed',
] as const satisfies DeliveryOutcome[]
const webhookOutcomes = ['delivered', 'retried', 'failed'] as const satisfies WebhookOutcome[]

/**
 * Every metric. No label has a value from mail, accounts, keys or paths of requests: labels have as many values as the
 * program has routes, statuses and outcomes. `docs/guides/operators.md` has a table of them.
 */
export const metricRows: readonly MetricRow[] = [
  {
    name: 'localpost',
    type: 'info',
    help: 'Version and store of the instance.',
    labels: ['version', 'store'],
    read: ({ version, store }) => [{ labels: [version, store], value: 1 }],
  },
  {
    name: 'localpost_accepting',
    type: 'gauge',
    help: 'Whether new mail is accepted.',
    read: ({ isAccepting }) => one(Number(isAccepting)),
  },
  {
    name: 'localpost_disk_low',
    type: 'gauge',
    help: 'Whether the disk of the data folder is almost full.',
    read: ({ isDiskLow }) => one(Number(isDiskLow)),
  },
  {
    name: 'localpost_records',
    type: 'gauge',
    help: 'Stored records of the account.',
    labels: ['kind'],
    read: ({ records }) => byLabel(records),
  },
  {
    name: 'localpost_smtp_sessions',
    type: 'counter',
    help: 'SMTP connections of apps.',
    read: ofInstance(({ counts }) => one(counts.smtp.sessions)),
  },
  {
    name: 'localpost_smtp_sessions_open',
    type: 'gauge',
    help: 'SMTP connections of apps that are open.',
    read: ofInstance(({ sessions }) => one(sessions)),
  },
  {
    name: 'localpost_smtp_messages',
    type: 'counter',
    help: 'Messages that apps submitted over SMTP and that were accepted.',
    read: ofInstance(({ counts }) => one(counts.smtp.messages)),
  },
  {
    name: 'localpost_smtp_refusals',
    type: 'counter',
    help: 'Refusals to apps over SMTP, by the code of the reply.',
    labels: ['code'],
    read: ofInstance(({ counts }) => tallied(counts.smtp.refusals)),
  },
  {
    name: 'localpost_http_requests',
    type: 'counter',
    help: 'Answers to HTTP requests, by the pattern of the route; other: no route.',
    labels: ['method', 'route', 'status'],
    read: ofInstance(({ counts }) => tallied(counts.requests)),
  },
  {
    name: 'localpost_deliveries',
    type: 'counter',
    help: 'Recipients that the outbox tried to deliver to, by where it delivered and the outcome.',
    labels: ['via', 'outcome'],
    read: ofInstance(({ counts: { deliveries } }) =>
      ways.flatMap((via) =>
        deliveryOutcomes.map((outcome) => {
          return { labels: [via, outcome], value: deliveries.get(`${via} ${outcome}`) ?? 0 }
        }),
      ),
    ),
  },
  {
    name: 'localpost_webhook_attempts',
    type: 'counter',
    help: 'Tries of webhooks, by outcome; retried: failed, and tried again later.',
    labels: ['outcome'],
    read: ofInstance(({ counts: { webhooks } }) =>
      webhookOutcomes.map((outcome) => ({ labels: [outcome], value: webhooks.get(outcome) ?? 0 })),
    ),
  },
  {
    name: 'localpost_webhooks_waiting',
    type: 'gauge',
    help: 'Deliveries of webhooks that are due or are tried again later.',
    read: ofInstance(({ totals }) => one(totals?.webhooks)),
  },
  {
    name: 'localpost_outbox_waiting',
    type: 'gauge',
    help: 'Emails with recipients that have no outcome yet.',
    read: ofInstance(({ totals }) => one(totals?.outbox)),
  },
  {
    name: 'localpost_scheduled_waiting',
    type: 'gauge',
    help: 'Emails that are sent at a later time.',
    read: ofInstance(({ totals }) => one(totals?.scheduled)),
  },
  {
    name: 'localpost_waits_open',
    type: 'gauge',
    help: 'Callers that wait for mail.',
    read: ofInstance(({ counts }) => one(counts.waits.open)),
  },
  {
    name: 'localpost_store_emails',
    type: 'gauge',
    help: 'Stored emails of all accounts.',
    read: ofInstance(({ totals }) => one(totals?.emails)),
  },
  {
    name: 'localpost_store_bytes',
    type: 'gauge',
    unit: 'bytes',
    help: 'Size of the stored messages and bodies; in a database, of all its tables.',
    read: ofInstance(({ figures }) => one(figures?.bytes)),
  },
  {
    name: 'localpost_store_commits',
    type: 'counter',
    help: 'Commits that this process stored.',
    read: ofInstance(({ figures }) => one(figures?.commits)),
  },
  {
    name: 'localpost_store_errors',
    type: 'counter',
    help: 'Writes to the store that failed.',
    read: ofInstance(({ figures }) => one(figures?.failures)),
  },
  {
    name: 'localpost_event_loop_delay_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'How late timers ran; it is measured anew at most every ten seconds.',
    labels: ['statistic'],
    read: ofInstance(({ loop }) => byLabel(loop as Values | null)),
  },
  {
    name: 'nodejs_heap_size_used_bytes',
    type: 'gauge',
    unit: 'bytes',
    help: 'Heap of JavaScript that is in use.',
    read: ofInstance(() => one(process.memoryUsage().heapUsed)),
  },
  {
    name: 'process_cpu_seconds',
    type: 'counter',
    unit: 'seconds',
    help: 'CPU time of the process.',
    read() {
      const { user, system } = process.cpuUsage()
      return one((user + system) / 1e6)
    },
  },
  {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    unit: 'bytes',
    help: 'Resident memory of the process.',
    read: () => one(process.memoryUsage.rss()),
  },
  {
    name: 'process_start_time_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'Start of the process, in Unix time.',
    read: () => one(Math.round(processStart) / 1000),
  },
  {
    name: 'localpost_database_up',
    type: 'gauge',
    help: 'Whether the database answers.',
    read: ofDatabase(({ instances }) => one(Number(instances !== null))),
  },
  {
    // An older word for the leader; dashboards may read it.
    name: 'localpost_database_turn',
    type: 'gauge',
    help: 'Whether this instance is the leader.',
    read: ofDatabase(({ has_turn }) => one(Number(has_turn))),
  },
  {
    name: 'localpost_database_commits',
    type: 'counter',
    help: 'The number of the last commit.',
    read: ofDatabase(({ last_commit }) => one(last_commit)),
  },
  {
    name: 'localpost_database_connections',
    type: 'gauge',
    help: 'Connections, and statements that wait for one.',
    labels: ['state'],
    read: ofDatabase(({ connections }) => byLabel(connections)),
  },
  {
    name: 'localpost_database_instances',
    type: 'gauge',
    help: 'Instances that use the schema.',
    read: ofDatabase(({ instances }) => one(instances)),
  },
  {
    name: 'localpost_database_round_trip_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'Time of one statement.',
    read: ofDatabase(({ round_trip_ms }) => one(round_trip_ms === null ? null : round_trip_ms / 1000)),
  },
]

/** All metrics with their values. */
export function familiesOf(facts: MetricFacts): Family[] {
  return metricRows.map((metric) => ({ metric, samples: [...metric.read(facts)] }))
}
