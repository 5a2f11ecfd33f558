import { readFileSync } from 'node:fs'

/**
 * Measures the stalls of the event loop of this thread, which must be the main one.
 *
 * A stall is how late a tick came, less the time that the thread was ready and had no processor, and no longer than the
 * thread itself worked since the tick before. On a busy machine plain lateness mostly measures the machine: the thread
 * waits for a processor, and so do the threads that collect garbage for it, which the thread sleeps for. Both are no
 * work of the server, and would differ from run to run by a hundred milliseconds.
 * What the cap leaves out is time that the thread sleeps within a turn: for the disk in a synchronous call, and for the
 * helpers of the collector. So the measure is right for long computations, which is what a hostile message causes, and
 * says nothing of a slow disk. Plain lateness is reported beside it for that: on a quiet machine both agree, and where
 * only lateness is large there, a synchronous call is to be looked for.
 * The kernel counts both times where there is a schedstat (Linux); elsewhere a stall is the plain lateness.
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
    /** Those since the last call, in milliseconds, with the plain lateness of each tick. */
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
