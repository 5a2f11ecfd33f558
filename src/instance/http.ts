import { Server as SecureServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { Capture } from '../capture/capture.ts'
import { isErrorOf, LocalpostError } from '../core/errors.ts'
import { keepAlive } from '../core/keep-alive.ts'
import type { FailedLogins } from '../keys/failed-logins.ts'
import { authorityOf } from '../net/hosts.ts'
import { providerParts, type ProviderAccount } from '../providers/parts.ts'
import type { App } from '../server/app.ts'
import { reportForeignClients } from '../server/foreign-clients.ts'
import type { AccountDeps, InstanceDeps, ServerDeps, ServerState } from '../server/deps.ts'
import { boundHost, closeHttpListener, openHttpListener } from '../server/listener.ts'
import type { HttpListener, ListenOptions } from '../server/listener.ts'
import type { RequestLimits } from '../server/request-limits.ts'
import { beginExchange } from '../server/request-log.ts'
import { createStoredSessions, type StoredSessions } from '../users/sessions.ts'
import { assertDestinations } from './destinations.ts'
import { createLazyApp, notLoaded } from './lazy-app.ts'
import { reportErrors } from './notices.ts'
import { forgetPageUrl, keepPageUrl } from './page-url.ts'
import { withRefusalsReported } from './activity.ts'
import { serverState, type StateDeps } from './health.ts'
import { once } from '../core/once.ts'
import type { AccountParts } from './shared-parts.ts'

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
  appOf(account: HttpAccount): Promise<App>
}

/** The parts of an account that its HTTP interface needs, and its name; null for `default`. */
export type HttpAccount = AccountDeps & ProviderAccount & { readonly accountName: string | null }

export interface HttpDeps
  extends
    Pick<ServerDeps, 'users' | 'oidc'>,
    Pick<AccountParts, 'config' | 'outgoing' | 'following' | 'upToDate' | 'counts' | 'tracer' | 'onRefused'>,
    Omit<StateDeps, 'store' | 'phase'> {
  capture: Pick<Capture, 'accepting'>
  failedLogins: FailedLogins
  instance: InstanceDeps
}

/**
 * Creates the HTTP side. It opens no port before `listen`.
 *
 * @param main  The account `default`.
 */
export function createHttp(main: HttpAccount, deps: HttpDeps): InstanceHttp {
  const { config, oidc } = deps
  const { clock } = config
  const places = {
    smtp: authorityOf(deps.smtp.host, deps.smtp.port),
    smtps: deps.smtps && authorityOf(deps.smtps.host, deps.smtps.port),
  }
  let { tls: certificate } = config
  let listener: HttpListener | null = null
  /** Set from the call of `listen` on. */
  let opening: Promise<HttpListener> | null = null
  let isClosing = false

  const onError = reportErrors(config, 'A request failed with an internal error.')
  const openSessions = once(() => openStoredSessions(main, deps))
  let limits: RequestLimits | null = null
  const openLimits = async (): Promise<RequestLimits> => {
    const { createRequestLimits } = await import('../server/request-limits.ts')
    return (limits ??= createRequestLimits(config, deps.failedLogins))
  }
  const isOwnPort = ({ port }: { port: number }): boolean => [deps.smtp.port, deps.smtps?.port].includes(port)
  const phase = (): ReturnType<StateDeps['phase']> => {
    if (isClosing) return 'closing'
    return deps.capture.accepting() && (!opening || listener?.server.listening === true)
      ? 'running'
      : 'starting'
  }
  const state = (): Promise<ServerState> => serverState({ ...deps, store: main.store, phase })

  /** @param instance  For the account `default`. */
  async function makeApp(account: HttpAccount, instance: InstanceDeps | null): Promise<App> {
    const [{ createApp }, requestLimits, { providers, providerRoutes }, { mcpRoutes }, sessions] =
      await Promise.all([
        import('../server/app.ts'),
        openLimits(),
        import('../providers/providers.ts'),
        import('../mcp/routes.ts'),
        openSessions(),
      ])
    return createApp({
      ...deps,
      ...account,
      instance,
      limits: requestLimits,
      clock,
      log: deps.onRefused ? withRefusalsReported(account, deps.onRefused) : account.log,
      sessions,
      requests: deps.counts.requests,
      faces: {
        all: providers.map(({ face }) => face),
        load: (faces) => providerRoutes(providerParts(account, { clock, config, state }), faces),
      },
      furtherRoutes: mcpRoutes({ ...account, now: clock.now }, onError),
      ca: deps.certificate?.ca ?? null,
      uiDir: fileURLToPath(new URL('../../dist/ui/', import.meta.url)),
      listener: () => listener,
      state,
      onError,
    })
  }

  const app = createLazyApp(() => makeApp(main, deps.instance), onError, reportErrors(config, notLoaded))

  return {
    appOf: (account) => makeApp(account, null),
    get url() {
      return listener?.url ?? null
    },
    fetch: (request) => keepAlive(async () => (await app.loaded()).fetch(request)),
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
        smtp: places.smtp,
      }
      assertDestinations(config, address)
      const open = (): Promise<HttpListener> =>
        openSessions().then(() =>
          (options.listener ?? openHttpListener)(app.answer, { ...address, upgrade: app.upgrade }),
        )
      opening = deps.tracer?.outside ? deps.tracer.outside(open) : open()
      try {
        listener = await opening
        deps.outgoing.opened({ host: boundHost(listener) ?? address.host, port: listener.port })
        reportForeignClients(listener.server, places, (message, protocol) => {
          config.onNotice({ level: 'warning', message })
          main.log.add({ ...beginExchange('http', protocol, ''), status: 400, warnings: [message] })
        })
        if (config.dir !== null) await keepPageUrl(config.dir, listener.url)
        return { url: listener.url, port: listener.port }
      } catch (error) {
        opening = null
        throw isErrorOf(error, 'port_in_use') && isOwnPort(address) ? ownPortError(address.port) : error
      }
    },
    useCertificate(next) {
      if (certificate === null) return
      certificate = next
      if (listener?.server instanceof SecureServer) listener.server.setSecureContext(next)
    },
    async close() {
      isClosing = true
      app.close()
      // Also if only other accounts were used.
      limits?.openAnswers.close()
      oidc?.close()
      const open = await opening?.catch(() => null)
      if (config.dir !== null && open) await forgetPageUrl(config.dir, open.url)
      if (open) await closeHttpListener(open, closeGraceMs)
    },
  }
}

/** The sessions of the page, for the keys of all accounts. */
function openStoredSessions(
  { keys, store }: HttpAccount,
  { instance: { otherAccounts }, oidc, users, following }: HttpDeps,
): Promise<StoredSessions> {
  return createStoredSessions({
    store,
    following,
    users,
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
  })
}

function ownPortError(port: number): LocalpostError {
  const message = `HTTP port ${port} is taken by the SMTP server of this same instance. Give each a port of its own.`
  return new LocalpostError('port_in_use', message)
}

/** How long running requests may take while the instance closes. */
const closeGraceMs = 2000
