// Loaded into the process under test: tells over a socket what its event loop and its memory did since it was asked last.
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const socket = process.env['LOCALPOST_MONITOR']
if (isMainThread && socket) {
  const intervalMs = 5
  // How late each tick came, without the time that the machine gave to others. The kernel counts it where there is a
  // schedstat (Linux): the second number is how long the thread was ready to run and had no processor.
  const waitedMs = () => {
    try {
      return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
    } catch {
      return 0
    }
  }
  let stalls = []
  let peak = 0
  let last = { at: performance.now(), waited: waitedMs() }
  setInterval(() => {
    const now = { at: performance.now(), waited: waitedMs() }
    stalls.push(Math.max(0, now.at - last.at - intervalMs - (now.waited - last.waited)))
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
