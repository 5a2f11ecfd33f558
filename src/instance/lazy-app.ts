import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { LocalpostError } from '../core/errors.ts'
import { once } from '../core/once.ts'
import type { App } from '../server/app.ts'
import { answerOutside } from '../server/client-error.ts'
import type { UpgradeListener } from '../server/listener.ts'

/**
 * The HTTP interface of the instance, loaded at the first request: the router, routes, schemas and Node's `fetch` take a
 * third of a start and 10 MiB, and many tests never use them.
 */
export interface LazyApp {
  loaded(): Promise<App>
  /** For the listener. */
  readonly answer: RequestListener
  readonly upgrade: UpgradeListener
  close(): void
}

/** @param onLoadError  Called when the interface cannot be loaded; the next request tries again. */
export function createLazyApp(
  make: () => Promise<App>,
  onError: (error: unknown) => void,
  onLoadError: (error: unknown) => void,
): LazyApp {
  let app: App | null = null
  let isClosed = false
  const load = once(async () => {
    app = await make()
    if (isClosed) app.close()
    return app
  })

  /** Does something with the interface, at once if it is loaded, or something else where it cannot be loaded. */
  function use(socket: Socket, work: (app: App) => void, otherwise: () => void): void {
    if (app) return work(app)
    const ignore = (): void => undefined
    // Without a listener, an error of a socket that is being upgraded would end the process.
    socket.on('error', ignore)
    load()
      .then(
        (one) => {
          socket.off('error', ignore)
          work(one)
        },
        (error: unknown) => {
          onLoadError(error)
          otherwise()
        },
      )
      .catch((error: unknown) => {
        onError(error)
        socket.destroy()
      })
  }

  return {
    loaded: async () => app ?? (await load()),
    answer: (request, response) =>
      use(
        request.socket,
        ({ nodeHandler }) => nodeHandler(request, response),
        () => answerOutside(request, response, new LocalpostError('internal_error', notLoaded)),
      ),
    upgrade: (request, socket, head) =>
      use(
        socket,
        ({ upgradeHandler }) => upgradeHandler(request, socket, head),
        () => socket.destroy(),
      ),
    close() {
      isClosed = true
      app?.close()
    },
  }
}

/** The message of the answer to a request at which the interface could not be loaded. */
export const notLoaded = 'The HTTP interface could not be loaded.'
