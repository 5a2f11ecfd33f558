import { isErrorOf } from '../core/errors.ts'
import type { Config } from '../options/options.ts'
import type { ServerState } from '../server/deps.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'
import type { Store } from '../store/store.ts'
import type { OwnCertificate } from './own-certificate.ts'

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
  // The database counts the instances, so there is no count while it does not answer. Without a database nothing is away.
  const isAway = database?.instances === null
  const trouble = await troubleOf(store, isAway)
  const refusal = trouble?.refusal ?? null
  const warnings = config.relayAll ? ['relayAll is on: API sends leave this machine'] : []
  if (trouble) warnings.unshift(`${refusal !== null ? 'New mail is refused. ' : ''}${trouble.message}`)
  return {
    status: statusOf(deps.phase(), trouble),
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

function statusOf(phase: ReturnType<StateDeps['phase']>, trouble: Trouble | null): ServerState['status'] {
  if (phase !== 'running') return phase
  if (!trouble) return 'ok'
  return trouble.refusal === null ? 'disk_low' : 'refusing'
}

/** What is wrong with a store. `refusal` says why it refuses new mail; null if it only has little room. */
interface Trouble {
  message: string
  refusal: NonNullable<ServerState['refusal']> | null
}

/** @param isAway  Whether the database does not answer. */
async function troubleOf(store: StateDeps['store'], isAway: boolean): Promise<Trouble | null> {
  const refused = store.refusal() ?? (isAway ? { message: 'The database does not answer.' } : null)
  if (refused) {
    const { message } = refused
    if (isErrorOf(refused, 'store_full')) return { message, refusal: 'disk_full' }
    const isUnreachable = isAway || isErrorOf(refused, 'service_unavailable')
    return { message, refusal: isUnreachable ? 'database_away' : 'store_failed' }
  }
  const low = await store.lowDisk()
  return low && { message: low.message, refusal: low.isFull ? 'disk_full' : null }
}
