import { Server as SecureServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { DatabaseStatus } from '../store/store.ts'
import type { Clock } from '../core/clock.ts'
import type { OtherAccounts } from '../server/other-accounts.ts'
import type { Capture } from '../capture/capture.ts'
import { countAll } from './collections.ts'
import type { UpToDate } from './up-to-date.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import { LocalpostError } from '../core/errors.ts'
import { assertDestinations } from './destinations.ts'
import { keepAlive } from '../core/keep-alive.ts'
import { monotonicNow } from '../core/machine.ts'
import type { OidcSignIn } from '../oidc/sign-in.ts'
import type { Outgoing } from '../net/outgoing.ts'
import type { Config } from '../options/options.ts'
import type { App } from '../server/app.ts'
import { reportForeignClients } from '../server/client-error.ts'
import {
  boundHost,
  closeHttpListener,
  openHttpListener,
  type HttpListener,
  type ListenOptions,
} from '../server/listener.ts'
import type { ServerDeps } from '../server/deps.ts'
import type { FailedKeys } from '../keys/failed-keys.ts'
import type { Scope } from '../keys/types.ts'
import type { Following } from '../store/follow.ts'
import type { Users } from '../users/users.ts'
import { createStoredSessions, type StoredSessions } from '../users/sessions.ts'
import { version } from '../core/version.ts'

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
  appOf(account: AccountParts): Promise<App>
}

/** Dependencies of the HTTP interface of an account. */
export type AccountParts = Pick<
  ServerDeps,
  | 'emails'
  | 'domains'
  | 'audiences'
  | 'broadcasts'
  | 'templates'
  | 'keys'
  | 'accounts'
  | 'inbox'
  | 'rules'
  | 'faults'
  | 'tracking'
  | 'webhooks'
  | 'ids'
  | 'log'
  | 'smtpSessions'
  | 'large'
  | 'thread'
  | 'store'
> & { reset(keep: readonly ResetScope[]): Promise<void> }

/** Creates the HTTP side. It opens no port before `listen`. */
export function createHttp(
  deps: AccountParts & {
    clock: Clock
    config: Config
    capture: Capture
    smtp: { host: string; port: number }
    smtps: { host: string; port: number } | null
    /** As `PartitionedStore.database`. */
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
  const { config, capture, smtp, smtps } = deps
  let { tls: certificate } = config
  let listener: HttpListener | null = null
  let opening: Promise<HttpListener> | null = null
  let isClosing = false
  let app: App | null = null
  let loading: Promise<App> | null = null
  /** The sessions of all accounts. */
  let sessions: Promise<StoredSessions> | null = null

  // Loaded on first use: the router, routes and schemas take as long to load as everything else, and many tests never
  // use them.
  async function load(): Promise<App> {
    const [{ createApp }, sessions] = await Promise.all([import('../server/app.ts'), openSessions()])
    app ??= createApp({ ...partsOf(deps, sessions), otherAccounts: deps.otherAccounts })
    if (isClosing) app.close()
    return app
  }

  const { keys, users, oidc, otherAccounts, store } = deps
  const ofDigest = (digest: string): { scope: Scope; account: string | null } | null => {
    const other = otherAccounts.ofDigest(digest)
    if (other) return { scope: other.scope, account: other.id }
    const scope = keys.scopeOfDigest(digest)
    return scope && { scope, account: null }
  }
  const openSessions = (): Promise<StoredSessions> =>
    (sessions ??= createStoredSessions({
      store,
      users,
      policy: oidc && oidc.policy,
      keys: { ofDigest, has: (digest) => otherAccounts.ofDigest(digest) !== null || keys.hasDigest(digest) },
      following: deps.following,
    }).catch((error: unknown) => {
      // The next request asks the store again.
      sessions = null
      throw error
    }))

  const partsOf = (account: AccountParts, sessions: StoredSessions): ServerDeps => ({
    ...deps,
    ...account,
    sessions,
    otherAccounts: null,
    version,
    uiDir: fileURLToPath(new URL('../../dist/ui/', import.meta.url)),
    listener: () => listener,
    async state() {
      const database = await deps.database()
      const away = database?.instances === null ? { message: 'The database does not answer.' } : null
      const refusal = deps.store.refusal() ?? away
      const low = refusal ? null : await deps.store.lowDisk()
      const isRefusing = refusal !== null || low?.isFull
      const isUp = capture.accepting() && (!opening || listener?.server.listening)
      const warnings = config.relayAll ? ['relayAll is on: API sends leave this machine'] : []
      const reason = refusal ?? low
      if (reason) warnings.unshift(`${isRefusing ? 'New mail is refused. ' : ''}${reason.message}`)
      return {
        status: isClosing
          ? 'closing'
          : !isUp
            ? 'starting'
            : isRefusing
              ? 'refusing'
              : low
                ? 'disk_low'
                : 'ok',
        store: config.store !== null ? 'postgresql' : config.dir !== null ? 'folder' : 'memory',
        database,
        smtp,
        smtps,
        warnings,
      }
    },
    counts: () => countAll(account.store),
    reset: ({ keep }) => account.reset(keep ?? []),
    onError: (error) =>
      config.onNotice({ level: 'error', message: 'A request failed with an internal error.', error }),
  })
  const loadOnce = (): Promise<App> =>
    (loading ??= load().catch((error: unknown) => {
      loading = null
      throw error
    }))
  const loaded = async (): Promise<App> => app ?? (await loadOnce())
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
        throw new LocalpostError(
          'already_listening',
          `This instance listens ${where}. Close it first, or create another instance.`,
        )
      }
      const address = {
        host: options.host ?? config.host,
        port: options.port ?? 0,
        keepAlive: config.keepAlive,
        ...(certificate && { tls: certificate }),
      }
      assertDestinations(config, address)
      opening = loadOnce().then(({ nodeHandler }) =>
        (options.listener ?? openHttpListener)(nodeHandler, address),
      )
      try {
        listener = await opening
        deps.outgoing.opened({ host: boundHost(listener) ?? address.host, port: listener.port })
        reportForeignClients(listener.server, (message, protocol) => {
          config.onNotice({ level: 'warning', message })
          deps.log.add(foreignRequest(message, protocol))
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

/** The entry in the request log for a client that speaks another protocol. */
function foreignRequest(message: string, method: string): Parameters<ServerDeps['log']['add']>[0] {
  return {
    source: 'http',
    method,
    path: '',
    status: 400,
    startedAt: monotonicNow(),
    key: null,
    warnings: [message],
    requestBody: null,
    responseBody: null,
  }
}

/** How long running requests may take while the instance closes. */
const closeGraceMs = 2000
