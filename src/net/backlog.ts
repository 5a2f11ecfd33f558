import type { Server } from 'node:net'

/**
 * How many connections may wait until the process accepts them. Node's default is 511. If more clients connect at once,
 * Linux drops what they send: they wait for seconds, and some are reset. The system lowers this number to its own
 * limit.
 */
export const backlog = 4096

/**
 * Sets {@link backlog} for a server that listens already, because the program that opened it has no option for it. Node has no
 * public function either; `listen` of the handle may be called again.
 */
export function widenBacklog(server: Server): void {
  const { _handle: handle } = server as { _handle?: { listen?(backlog: number): number } | null }
  handle?.listen?.(backlog)
}
