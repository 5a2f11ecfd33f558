// Loaded into the process under test: reports measurements of its event loop and memory over a socket, since the last request.
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { watchStalls } from '../support/stalls.mjs'

const socket = process.env['LOCALPOST_MONITOR']
if (isMainThread && socket) {
  const intervalMs = 5
  const ticks = watchStalls(intervalMs)
  let peak = 0
  setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, intervalMs).unref()
  rmSync(socket, { force: true })
  createServer((client) => {
    // A tick that is late already counts to those that come before the answer.
    setTimeout(() => {
      client.on('error', () => undefined).end(JSON.stringify({ ...ticks.take(), peak_mib: peak / 1048576 }))
      peak = process.memoryUsage.rss()
    }, 2 * intervalMs)
  })
    .listen(socket)
    .unref()
}
