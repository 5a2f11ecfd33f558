import { Server as SecureServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { Capture } from '../capture/capture.ts'
import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { keepAlive } from '../core/keep-alive.ts'
import type { FailedKeys } from '../keys/failed-keys.ts'
import type { Outgoing } from '../net/outgoing.ts'
import type { OidcSignIn } from '../oidc/sign-in.ts'
import type { Config } from '../options/options.ts'
import type { App } from '../server/app.ts'
import { reportForeignClients } from '../server/client-error.ts'
import type { AccountDeps, ServerDeps, ServerState } from '../server/deps.ts'
import {
  boundHost,
  closeHttpListener,
  openHttpListener,
  type HttpListener,
  type ListenOptions,
} from '../server/listener.ts'
import type { OtherAccounts } from '../server/other-accounts.ts'
import { beginExchange } from '../server/request-log.ts'
import type { Following } from '../store/follow.ts'
import type { DatabaseStatus } from '../store/store.ts'
import { createStoredSessions, type StoredSessions } from '../users/sessions.ts'
import type { Users } from '../users/users.ts'
import { assertDestinations } from './destinations.ts'
import { reportErrors } from './notices.ts'
import type { OwnCertificate } from './own-certificate.ts'
import type { UpToDate } from './up-to-date.ts'

/** The HTTP side of an instance: in process, and over a socket once it listens. */
export interface InstanceHttp {
  readonly url: string | null
  fetch(request: Request): Promise<Response>
  /** @throws already_listening, port_in_use, listen_failed. */
  listen(options: ListenOptions): Promise<{ url: string; port: number }>
  /** Uses another certificate for new connections; no effect without the option `tls`. */
  useCertificate(next: { key: string; cert: string }): void
  /** Ends live events and closes the listener. */
  close(): Promise<void>
  /** Creates the HTTP interface of another account. The caller closes it. */
  appOf(account: AccountDeps): Promise<App>
}

/**
 * Creates the HTTP side. It opens no port before `listen`.
 *
 * @param main  The account `default`.
 * @param deps.database  As `PartitionedStore.database`.
 */
export function createHttp(
  main: AccountDeps,
  deps: {
    clock: Clock
    config: Config
    capture: Pick<Capture, 'accepting'>
    smtp: { host: string; port: number }
    smtps: { host: string; port: number } | null
    certificate: OwnCertificate | null
    database(): Promise<DatabaseStatus | null>
    outgoing: Outgoing
    otherAccounts: OtherAccounts
    failedKeys: FailedKeys
    users: Users | null
    oidc: OidcSignIn | null
    following: Following
    upToDate: UpToDate | null
  },
): InstanceHttp {
  const { config, otherAccounts, oidc } = deps
  const { keys, store } = main
  let { tls: certificate } = config
  let listener: HttpListener | null = null
  let opening: Promise<HttpListener> | null = null
  let isClosing = false
  let app: App | null = null

  // Loaded on first use: the router, routes and schemas take as long to load as everything else, and many tests never
  // use them.
  const load = once(async () => {
    const [{ createApp }, sessions] = await Promise.all([import('../server/app.ts'), openSessions()])
    app = createApp({ ...partsOf(main, sessions), otherAccounts })
    if (isClosing) app.close()
    return app
  })
  const loaded = async (): Promise<App> => app ?? (await load())

  /** The sessions of all accounts. */
  const openSessions = once(() =>
    createStoredSessions({
      ...deps,
      store,
      policy: oidc && oidc.policy,
      keys: {
        ofDigest(digest) {
          const other = otherAccounts.ofDigest(digest)
          if (other) return { scope: other.scope, account: other.id }
          const scope = keys.scopeOfDigest(digest)
          return scope && { scope, account: null }
        },
        has: (digest) => otherAccounts.ofDigest(digest) !== null || keys.hasDigest(digest),
      },
    }),
  )

  const partsOf = (account: AccountDeps, sessions: StoredSessions): ServerDeps => ({
    ...deps,
    ...account,
    sessions,
    otherAccounts: null,
    ca: deps.certificate?.ca ?? null,
    uiDir: fileURLToPath(new URL('../../dist/ui/', import.meta.url)),
    listener: () => listener,
    state,
    onError: reportErrors(config, 'A request failed with an internal error.'),
  })

  async function state(): Promise<ServerState> {
    const { smtp, smtps, certificate: made } = deps
    const database = await deps.database()
    const away = database?.instances === null ? { message: 'The database does not answer.' } : null
    const refusal = store.refusal() ?? away
    const low = refusal ? null : await store.lowDisk()
    const reason = refusal ?? low
    const isRefusing = refusal !== null || low?.isFull === true
    const isUp = deps.capture.accepting() && (!opening || listener?.server.listening === true)
    const warnings = config.relayAll ? ['relayAll is on: API sends leave this machine'] : []
    if (reason) warnings.unshift(`${isRefusing ? 'New mail is refused. ' : ''}${reason.message}`)
    const status = (): ServerState['status'] => {
      if (isClosing) return 'closing'
      if (!isUp) return 'starting'
      if (isRefusing) return 'refusing'
      return low ? 'disk_low' : 'ok'
    }
    return {
      status: status(),
      store: config.store !== null ? 'postgresql' : config.dir !== null ? 'folder' : 'memory',
      ...(database && { database }),
      smtp: {
        host: smtp.host,
        port: smtp.port,
        starttls: config.tls !== null || config.smtpTls !== false,
        login: config.smtpAuth,
      },
      ca: made && { file: made.caFile },
      ...(smtps && { smtps: { host: smtps.host, port: smtps.port } }),
      warnings,
    }
  }

  return {
    async appOf(account) {
      const [{ limits }, { createApp }, sessions] = await Promise.all([
        loaded(),
        import('../server/app.ts'),
        openSessions(),
      ])
      return createApp({ ...partsOf(account, sessions), limits })
    },
    get url() {
      return listener?.url ?? null
    },
    fetch: (request) => keepAlive(async () => (await loaded()).fetch(request)),
    async listen(options) {
      if (opening) {
        const where = listener ? `on ${listener.url}` : 'already, or is about to'
        const message = `This instance listens ${where}. Close it first, or create another instance.`
        throw new LocalpostError('already_listening', message)
      }
      const address = {
        host: options.host ?? config.host,
        port: options.port ?? 0,
        keepAlive: config.keepAlive,
        ...(certificate && { tls: certificate }),
      }
      assertDestinations(config, address)
      opening = load().then(({ nodeHandler }) => (options.listener ?? openHttpListener)(nodeHandler, address))
      try {
        listener = await opening
        deps.outgoing.opened({ host: boundHost(listener) ?? address.host, port: listener.port })
        reportForeignClients(listener.server, (message, protocol) => {
          config.onNotice({ level: 'warning', message })
          main.log.add({ ...beginExchange('http', protocol, ''), status: 400, warnings: [message] })
        })
        return { url: listener.url, port: listener.port }
      } catch (error) {
        opening = null
        throw error
      }
    },
    useCertificate(next) {
      if (certificate === null) return
      certificate = next
      if (listener?.server instanceof SecureServer) listener.server.setSecureContext(next)
    },
    async close() {
      isClosing = true
      app?.close()
      oidc?.close()
      const open = await opening?.catch(() => null)
      if (open) await closeHttpListener(open, closeGraceMs)
    },
  }
}

/** Runs at the first call, and again only after an error. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () =>
    (running ??= run().catch((error: unknown) => {
      running = null
      throw error
    }))
}

/** How long running requests may take while the instance closes. */
const closeGraceMs = 2000
