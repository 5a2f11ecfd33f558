import type { Server } from 'node:net'

/**
 * How many connections may wait until the process accepts them. Node's default is 511. If more clients connect at once,
 * Linux drops their packets: they wait for seconds, and some connections are reset. The system lowers this to its
 * own limit.
 */
export const backlog = 4096

/**
 * Sets {@link backlog} for a server that listens already: the package that opened it has no option for it. Node has
 * no public function for this either, but `listen` of the handle may be called again.
 */
export function widenBacklog(server: Server): void {
  const { _handle: handle } = server as { _handle?: { listen?(backlog: number): number } | null }
  handle?.listen?.(backlog)
}
