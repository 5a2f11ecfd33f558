import { isErrorOf, nullOn } from '../core/errors.ts'
import type { Config } from '../options/options.ts'
import type { ServerState } from '../server/deps.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'
import type { Store } from '../store/store.ts'
import type { OwnCertificate } from './own-certificate.ts'
import type { Capture } from '../capture/capture.ts'
import type { Counts } from '../core/counts.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { emailCollection } from '../emails/email.ts'
import { scheduledCollection } from '../sending/scheduled.ts'
import { createLoopMonitor } from '../telemetry/event-loop.ts'
import type { InstanceFacts } from '../telemetry/metrics.ts'
import { webhookDeliveryCollection } from '../webhooks/webhook.ts'

export interface StateDeps extends Pick<PartitionedStore, 'database'> {
  store: Pick<Store, 'refusal' | 'lowDisk'>
  config: Config
  smtp: { host: string; port: number }
  smtps: { host: string; port: number } | null
  certificate: OwnCertificate | null
  /** `running` while all ports accept connections that should. */
  phase(): 'starting' | 'running' | 'closing'
}

/** The state of an instance now, for its health. */
export async function serverState(deps: StateDeps): Promise<ServerState> {
  const { store, config, smtp, smtps, certificate } = deps
  const database = await deps.database()
  const trouble = await troubleOf(store, database?.instances === null)
  const refusal = trouble?.refusal ?? null
  const warnings = config.relayAll ? ['relayAll is on: API sends leave this machine'] : []
  if (trouble) warnings.unshift(`${refusal !== null ? 'New mail is refused. ' : ''}${trouble.message}`)
  const status = (): ServerState['status'] => {
    const phase = deps.phase()
    if (phase !== 'running') return phase
    if (refusal !== null) return 'refusing'
    return trouble ? 'disk_low' : 'ok'
  }
  return {
    status: status(),
    ...(refusal !== null && { refusal }),
    store: config.store !== null ? 'postgresql' : config.dir !== null ? 'folder' : 'memory',
    ...(database && { database }),
    smtp: {
      host: smtp.host,
      port: smtp.port,
      starttls: config.tls !== null || config.smtpTls !== false,
      login: config.smtpAuth,
    },
    ca: certificate && { file: certificate.caFile },
    ...(smtps && { smtps: { host: smtps.host, port: smtps.port } }),
    warnings,
  }
}

/** What is wrong with a store. `refusal` says why it refuses new mail; null if it only has little room. */
interface Trouble {
  message: string
  refusal: NonNullable<ServerState['refusal']> | null
}

async function troubleOf(store: StateDeps['store'], isAway: boolean): Promise<Trouble | null> {
  const refused = store.refusal() ?? (isAway ? { message: 'The database does not answer.' } : null)
  if (refused) {
    const { message } = refused
    if (isErrorOf(refused, 'store_full')) return { message, refusal: 'disk_full' }
    const hasGone = isAway || isErrorOf(refused, 'service_unavailable')
    return { message, refusal: hasGone ? 'database_away' : 'store_failed' }
  }
  const low = await store.lowDisk()
  return low && { message: low.message, refusal: low.isFull ? 'disk_full' : null }
}

/** Reads what the metrics tell of all accounts together. */
export function createInstanceFacts(
  counts: Counts,
  capture: Pick<Capture, 'sessionCount'>,
  stored: Pick<PartitionedStore, 'total' | 'figures'>,
): { read(isAway: boolean): Promise<InstanceFacts>; close(): void } {
  const loop = createLoopMonitor()

  async function read(isAway: boolean): Promise<InstanceFacts> {
    const [totals, figures] = await Promise.all([
      isAway ? null : nullOn('service_unavailable', readTotals(stored)),
      nullOn('service_unavailable', stored.figures()),
    ])
    return { counts, sessions: capture.sessionCount(), totals, figures, loop: loop.read() }
  }

  // Callers at the same time share one read, which may ask the database.
  const reads = createSharedWork()
  return {
    read: (isAway) => (isAway ? read(true) : reads.run('facts', () => read(false))),
    close: loop.close,
  }
}

async function readTotals(
  stored: Pick<PartitionedStore, 'total'>,
): Promise<NonNullable<InstanceFacts['totals']>> {
  const [emails, outbox, scheduled, webhooks] = await Promise.all([
    stored.total(emailCollection),
    stored.total(emailCollection, 'outbox'),
    stored.total(scheduledCollection),
    stored.total(webhookDeliveryCollection, 'due'),
  ])
  return { emails, outbox, scheduled, webhooks }
}
