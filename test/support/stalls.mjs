import { readFileSync } from 'node:fs'

/**
 * Measures the stalls of the event loop of this thread, which must be the main one.
 *
 * A stall is the delay of a tick. It excludes the time that the thread waited for a processor, and is at most the CPU
 * time of the thread since the tick before. Without this, the delay would mostly measure the load of the machine: the
 * thread waits for a processor, and also for threads that collect garbage, which wait for one too. That is no work of
 * the server, and would vary by a hundred milliseconds between runs.
 *
 * The limit also excludes time that the thread sleeps within a turn: for the disk in a synchronous call, or for the
 * threads of the garbage collector. So the measure is right for long computations, which hostile messages cause, but
 * does not show a slow disk. For that, the delay itself is reported too. On a quiet machine both agree. If only the
 * delay is large there, look for a synchronous call.
 *
 * The kernel counts both times if it has `schedstat` (Linux). Elsewhere a stall is the delay itself.
 */
export function watchStalls(intervalMs) {
  let stalls = []
  let lateness = []
  let last = { at: performance.now(), ...scheduled() }
  setInterval(() => {
    const now = { at: performance.now(), ...scheduled() }
    const late = Math.max(0, now.at - last.at - intervalMs)
    lateness.push(late)
    stalls.push(Math.max(0, Math.min(late - (now.waited - last.waited), now.worked - last.worked)))
    last = now
  }, intervalMs).unref()
  return {
    /** The stalls and the delays of all ticks since the last call, in milliseconds. */
    take() {
      const taken = { stalls, lateness }
      stalls = []
      lateness = []
      return taken
    },
  }
}

function scheduled() {
  try {
    const [worked, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
    return { worked: Number(worked) / 1e6, waited: Number(waited) / 1e6 }
  } catch {
    return { worked: performance.now(), waited: 0 }
  }
}
