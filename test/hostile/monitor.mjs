// Loaded into the process under test: writes what its event loop and its memory did to the file that is named.
import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env['LOCALPOST_MONITOR']
if (isMainThread && file) {
  // The delay beyond the timer's own resolution is the stall.
  const resolution = 5
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  process.on('SIGUSR2', () => delays.reset())
  setInterval(() => {
    const toMs = (ns) => Math.max(0, ns / 1e6 - resolution)
    const seen = { p99: toMs(delays.percentile(99)), max: toMs(delays.max), count: delays.count }
    const memory = {
      peak_mib: process.resourceUsage().maxRSS / 1024,
      rss_mib: process.memoryUsage.rss() / 1048576,
    }
    writeFileSync(`${file}.tmp`, JSON.stringify({ ...seen, ...memory }))
    renameSync(`${file}.tmp`, file)
  }, 250).unref()
}
