import { fileURLToPath } from 'node:url'
import type { Capture } from '../capture/capture.ts'
import { countAll } from './collections.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import { LocalpostError } from '../core/errors.ts'
import { assertDestinations } from './destinations.ts'
import { keepAlive } from '../core/keep-alive.ts'
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
import type { Store } from '../store/store.ts'
import { version } from '../core/version.ts'

/** The HTTP side of an instance: in process, and over a socket once it listens. */
export interface HttpFace {
  readonly url: string | null
  fetch(request: Request): Promise<Response>
  /** @throws already_listening, port_in_use, listen_failed. */
  listen(options: ListenOptions): Promise<{ url: string; port: number }>
  /** Ends live events and the listener. */
  close(): Promise<void>
}

type Nouns = Pick<
  ServerDeps,
  | 'emails'
  | 'domains'
  | 'audiences'
  | 'broadcasts'
  | 'templates'
  | 'keys'
  | 'inbox'
  | 'rules'
  | 'faults'
  | 'tracking'
  | 'webhooks'
  | 'clock'
  | 'ids'
  | 'log'
  | 'large'
>

/** Creates the HTTP side. It opens no port before `listen`. */
export function createHttpFace(
  deps: Nouns & {
    store: Store
    config: Config
    capture: Capture
    smtp: { host: string; port: number }
    outgoing: Outgoing
    reset(keep: readonly ResetScope[]): Promise<void>
  },
): HttpFace {
  const { config, capture, smtp } = deps
  let listener: HttpListener | null = null
  let opening: Promise<HttpListener> | null = null
  let isClosing = false
  let app: App | null = null
  let loading: Promise<App> | null = null

  // Loaded on first use: the router, routes and schemas take as long to load as everything else, and many tests never
  // use them.
  async function load(): Promise<App> {
    const { createApp } = await import('../server/app.ts')
    app ??= createApp(appParts)
    if (isClosing) app.close()
    return app
  }

  const appParts: ServerDeps = {
    ...deps,
    version,
    uiDir: fileURLToPath(new URL('../../dist/ui/', import.meta.url)),
    listener: () => listener,
    async state() {
      const refusal = deps.store.refusal()
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
        smtp,
        warnings,
      }
    },
    counts: () => countAll(deps.store),
    reset: ({ keep }) => deps.reset(keep ?? []),
    onError: (error) =>
      config.onNotice({ level: 'error', message: 'A request failed with an internal error.', error }),
  }
  return {
    get url() {
      return listener?.url ?? null
    },
    fetch: (request) => keepAlive(async () => (app ?? (await (loading ??= load()))).fetch(request)),
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
      }
      assertDestinations(config, address)
      opening = (loading ??= load()).then(({ nodeHandler }) =>
        (options.listener ?? openHttpListener)(nodeHandler, address),
      )
      try {
        listener = await opening
        deps.outgoing.opened({ host: boundHost(listener) ?? address.host, port: listener.port })
        reportForeignClients(listener.server, (message) => config.onNotice({ level: 'warning', message }))
        return { url: listener.url, port: listener.port }
      } catch (error) {
        opening = null
        throw error
      }
    },
    async close() {
      isClosing = true
      app?.close()
      const open = await opening?.catch(() => null)
      if (open) await closeHttpListener(open, closeGraceMs)
    },
  }
}

/** How long running requests may take while the instance closes. */
const closeGraceMs = 2000
