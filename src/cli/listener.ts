import { lookup } from 'node:dns/promises'
import { createServer } from 'node:net'
import type { ListenOptions } from 'listhen'
import { LocalpostError } from '../core/errors.ts'
import { widenBacklog } from '../net/backlog.ts'
import { authorityOf, isWildcard, reachableHost } from '../net/hosts.ts'
import { listenError } from '../net/listen-error.ts'
import type { OpenListener } from '../instance/instance.ts'
import { openHttpListener, patience, trackSilent } from '../server/listener.ts'
import { answerClientErrors } from '../server/client-error.ts'

/**
 * Opens the HTTP listener with listhen, exactly on the given port: by default listhen moves from a busy or
 * unusual port to another one, and from an unusual host name to localhost, without an error.
 *
 * @returns The listener. A browser on this machine can open its `url`.
 * @throws port_in_use, listen_failed
 */
export const openListener: OpenListener = async (handler, given) => {
  // listhen can neither change a certificate while it listens, nor take one that is not in a file.
  if (given.tls) return openHttpListener(handler, given)
  const { host, port } = given
  // Loaded only now, because SMTP already answers meanwhile.
  const { listen } = await import('listhen')
  const { address } = await lookup(host).catch((error: unknown) => {
    throw listenError('HTTP', error, { host, port })
  })
  const { server, address: bound } = await listen(handler, optionsFor(address, port)).catch(
    async (error: unknown) => {
      throw listenError('HTTP', (await bindError(address, port)) ?? error, { host, port })
    },
  )
  if (bound.address !== address || (port !== 0 && bound.port !== port)) {
    server.close()
    const message = `Port ${port} on ${host} is one that browsers refuse to open. Choose another port.`
    throw new LocalpostError('listen_failed', message)
  }
  widenBacklog(server)
  // Errors of a listening server, such as a lack of file handles, are temporary. Without a listener they would end the
  // process.
  server.on('error', () => undefined)
  answerClientErrors(server)
  const { headersTimeout, requestTimeout, keepAliveTimeout } = patience
  Object.assign(server, { headersTimeout, requestTimeout, keepAliveTimeout })
  const reachable = isWildcard(address) ? reachableHost(address) : host
  const { origin } = new URL(`http://${authorityOf(reachable, bound.port)}`)
  return { url: origin, port: bound.port, server, closeSilent: trackSilent(server) }
}

// Every default that depends on the environment is set explicitly, because NODE_ENV, HOST, PORT and a container change it.
function optionsFor(address: string, port: number): Partial<ListenOptions> {
  return {
    hostname: address,
    port: { port, random: port === 0, alternativePortRange: noRange, verbose: false },
    // Only confirms that binding to every interface is intended.
    public: isWildcard(address),
    isProd: false,
    isTest: false,
    autoClose: false,
    showURL: false,
    qr: false,
    open: false,
    clipboard: false,
    tunnel: false,
    https: false,
    ws: false,
  }
}

// An empty range: by default listhen tries the ports from 3000 to 3100.
const noRange: [from: number, to: number] = [1, 0]

// The error of listhen only says that it found no port; the error of the system has the reason.
function bindError(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen({ host, port }, () => probe.close(() => resolve(undefined)))
  })
}
