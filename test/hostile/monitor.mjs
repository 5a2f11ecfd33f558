// Loaded into the process under test: writes what its event loop and its memory did to the file that is named.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env['LOCALPOST_MONITOR']
if (isMainThread && file) {
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
  let last = { at: performance.now(), waited: waitedMs() }
  process.on('SIGUSR2', () => (stalls = []))
  setInterval(() => {
    const now = { at: performance.now(), waited: waitedMs() }
    stalls.push(Math.max(0, now.at - last.at - intervalMs - (now.waited - last.waited)))
    last = now
  }, intervalMs).unref()
  setInterval(() => {
    const sorted = stalls.toSorted((a, b) => a - b)
    const seen = {
      p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
      max: sorted.at(-1) ?? 0,
      count: sorted.length,
    }
    const memory = {
      peak_mib: process.resourceUsage().maxRSS / 1024,
      rss_mib: process.memoryUsage.rss() / 1048576,
    }
    writeFileSync(`${file}.tmp`, JSON.stringify({ ...seen, ...memory }))
    renameSync(`${file}.tmp`, file)
  }, 250).unref()
}
