// Loaded into the process under test: reports measurements of its event loop and memory over a socket, since the last request.
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const socket = process.env['LOCALPOST_MONITOR']
if (isMainThread && socket) {
  const intervalMs = 5
  // How late each tick came, but no longer than the thread itself worked since the tick before: on a busy machine it also
  // waits for a processor, and so do the threads that collect garbage for it. The kernel counts both where there is a
  // schedstat (Linux): the time on a processor, and the time that the thread was ready to run and had none.
  const scheduled = () => {
    try {
      const [worked, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
      return { worked: Number(worked) / 1e6, waited: Number(waited) / 1e6 }
    } catch {
      return { worked: performance.now(), waited: 0 }
    }
  }
  let stalls = []
  let peak = 0
  let last = { at: performance.now(), ...scheduled() }
  setInterval(() => {
    const now = { at: performance.now(), ...scheduled() }
    const late = now.at - last.at - intervalMs - (now.waited - last.waited)
    stalls.push(Math.max(0, Math.min(late, now.worked - last.worked)))
    last = now
    peak = Math.max(peak, process.memoryUsage.rss())
  }, intervalMs).unref()
  rmSync(socket, { force: true })
  createServer((client) => {
    // A tick that is late already counts to those that come before the answer.
    setTimeout(() => {
      client.on('error', () => undefined).end(JSON.stringify({ stalls, peak_mib: peak / 1048576 }))
      stalls = []
      peak = process.memoryUsage.rss()
    }, 2 * intervalMs)
  })
    .listen(socket)
    .unref()
}
