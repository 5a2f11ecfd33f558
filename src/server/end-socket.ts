import type { Duplex } from 'node:stream'
import { clearTimeout, setTimeout } from '../core/machine.ts'

/** How long a client has to take the end of what it is sent. */
const closingMs = 1000

/** Ends a connection with the last that goes out, and destroys it once that is sent. */
export function endSocket(socket: Duplex, last?: string | Uint8Array): void {
  const closing = setTimeout(() => socket.destroy(), closingMs).unref()
  socket.once('close', () => clearTimeout(closing))
  socket.end(last, () => socket.destroy())
}
