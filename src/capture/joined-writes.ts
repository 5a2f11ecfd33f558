import type { Socket } from 'node:net'

/**
 * Joins the replies that a socket is given in one turn into one write: a client that pipelines gets its answers
 * together, and a system call costs more than the reply it carries.
 *
 * @param socket  Its `write` takes texts together from now on; bytes go through as they are.
 * @returns Writes what waits, at once: before anything else takes the socket over.
 */
export function joinWrites(socket: Socket): () => void {
  const write = socket.write.bind(socket)
  const end = socket.end.bind(socket)
  let waiting = ''
  const flush = (): void => {
    if (waiting === '') return
    const text = waiting
    waiting = ''
    if (socket.writable) write(text)
  }
  socket.write = (data: string | Uint8Array, ...rest: []) => {
    if (typeof data !== 'string') {
      flush()
      return write(data, ...rest)
    }
    if (waiting === '') process.nextTick(flush)
    waiting += data
    return true
  }
  socket.end = (...rest: []) => {
    flush()
    return end(...rest)
  }
  return flush
}
