/** Counts what a load did between the end of its warm-up and its end. */
import { cpuEach, cpuOf } from '../lib/cpu.mjs'

/**
 * @typedef {object} Extent  How long a load goes on.
 * @property {number} [pid]  The server's: its CPU time is counted with.
 * @property {number} warmUpMs  Load before anything is counted,
 * @property {number} [warmUpCount]  and at least so many items.
 * @property {number} measureMs  How long is counted,
 * @property {number} [leastCount]  and at least so many items.
 * @property {number} count  At most so many items, warm-up included.
 * @property {number} [seconds]  The load gives up after this long. Default: 120.
 *
 * @param {Extent} load
 */
export function createMeter(load) {
  const startedAt = performance.now()
  let done = 0
  let counted = 0
  let countedFrom = 0
  let countedTo = 0
  let cpuFrom = null
  let cpuTo = null
  let isOver = false
  const times = []
  let isWarmedUp = false
  const giveUp = setTimeout(() => fail(new Error('the load took too long')), (load.seconds ?? 120) * 1000)

  /** On a busy machine time alone would count code that is not compiled yet. */
  function isWarm(now) {
    const passed = now - startedAt
    isWarmedUp ||= passed >= load.warmUpMs && (done >= (load.warmUpCount ?? 0) || passed >= patienceMs)
    return isWarmedUp
  }

  function isEnough(now) {
    const passed = now - countedFrom
    return passed >= load.measureMs && (counted >= (load.leastCount ?? 0) || passed >= patienceMs)
  }

  return {
    get isOver() {
      return isOver
    },
    /** One item is done that was begun at this time. */
    note(beganAt) {
      const now = performance.now()
      done++
      if (isOver || !isWarm(now)) return
      if (countedFrom === 0) {
        cpuFrom = cpuOf(load.pid)
        countedFrom = performance.now()
        return
      }
      counted++
      countedTo = now
      times.push(now - beganAt)
      if (done < load.count && !isEnough(now)) return
      isOver = true
      cpuTo = cpuOf(load.pid)
    },
    /** Prints the outcome as one line of JSON. */
    print(more = {}) {
      clearTimeout(giveUp)
      times.sort((a, b) => a - b)
      const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
      const ms = countedTo - countedFrom
      const { user, system } = process.cpuUsage()
      console.log(
        JSON.stringify({
          total: done,
          counted,
          ms,
          perSecond: ms > 0 ? (counted * 1000) / ms : 0,
          p50Ms: at(0.5),
          p99Ms: at(0.99),
          ...cpuEach(cpuFrom, cpuTo ?? cpuOf(load.pid), counted),
          loadCpuShare: (user + system) / 1000 / (performance.now() - startedAt),
          ...more,
        }),
      )
    },
  }
}

/** How long counts are waited for, beyond the times that were asked for. */
const patienceMs = 8000

/** A load that fails says why and gives no number. */
export function fail(error) {
  console.error(String(error?.stack ?? error))
  process.exit(1)
}
