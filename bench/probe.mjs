/**
 * Loaded into a server with `node --import`: tells its parent over IPC how long the event loop stood still and how
 * much memory the process has. The server itself is unchanged.
 *
 * `reset` begins a new measurement; `report` answers `{ p50Ms, p99Ms, maxMs, rss, heapUsed, external, cpuMs }`. The delay
 * is what a timer of 1 ms came late, so an idle loop has about 0.1 ms.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 1
const delay = monitorEventLoopDelay({ resolution: resolutionMs })
delay.enable()

if (process.send) {
  process.on('message', (wanted) => {
    if (wanted === 'reset') delay.reset()
    if (wanted === 'collect') globalThis.gc?.()
    process.send({ wanted, ...measure() })
  })
  // Waiting for questions is no reason to stay.
  process.channel?.unref()
}

function measure() {
  const late = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  const { rss, heapUsed, external } = process.memoryUsage()
  const cpu = process.cpuUsage()
  return {
    p50Ms: late(delay.percentile(50)),
    p99Ms: late(delay.percentile(99)),
    maxMs: late(delay.max),
    rss,
    heapUsed,
    external,
    cpuMs: (cpu.user + cpu.system) / 1000,
  }
}
