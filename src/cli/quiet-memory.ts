import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { clearInterval, setInterval } from '../core/machine.ts'
import { collectBefore } from '../core/page-memory.ts'

/** The memory and CPU time of the process, for {@link giveMemoryBack}. */
export interface ProcessMemory {
  /** CPU time used so far, in milliseconds. */
  cpuMs(): number
  /** Resident memory in bytes. */
  rss(): number
  /** Runs a full garbage collection. */
  collect(): void
}

/**
 * Gives memory back to the system after a flood. V8 keeps the memory that it once needed, and does not collect garbage
 * while the process is idle. A collection stops the process for tens of milliseconds. It runs only while the process is
 * idle: once after the start, and when memory has grown since the last one. Only the command does this: V8's flags affect
 * the whole process.
 *
 * @param intervalMs  The time between two checks.
 * @returns A function that stops the checks.
 */
export function giveMemoryBack(
  memory: ProcessMemory = thisProcess(),
  intervalMs: number = defaultIntervalMs,
): () => void {
  let usedMs = memory.cpuMs()
  let settled = memory.rss()
  let needsAnother = true
  const check = (): void => {
    const cpuMs = memory.cpuMs()
    const isQuiet = cpuMs - usedMs < quietMs
    usedMs = cpuMs
    const before = memory.rss()
    const hasGrown = before - settled >= worthwhileGrowthBytes
    if (!isQuiet || (!needsAnother && !hasGrown)) return
    memory.collect()
    usedMs = memory.cpuMs()
    settled = memory.rss()
    // Memory outside the heap is only freed by a second collection. The part of the heap for new objects, up to 32 MiB, is
    // only made smaller by a collection before which few objects were made for some seconds. After the start V8 does that.
    needsAnother = hasGrown
  }
  const timer = setInterval(check, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Lets V8 collect garbage as soon as its heap has grown by a third. By default the heap first grows to more than twice of
 * what is in use. Collecting earlier costs CPU time, so it is for long work that nothing waits for.
 */
export function collectEarly(isEarly: boolean): void {
  setFlagsFromString(`--heap-growing-percent=${isEarly ? earlyPercent : v8Default}`)
  // The new limit takes effect at the next collection, so one is started as before the largest work.
  if (isEarly) collectBefore(Number.POSITIVE_INFINITY)
}

const earlyPercent = 30
/** V8 chooses the growth itself. */
const v8Default = 0
const defaultIntervalMs = 5000
/** A process that uses less CPU time in one interval is idle. */
const quietMs = 150
/** How much the memory has to grow before a collection is worth its time. */
const worthwhileGrowthBytes = 12 * 1024 * 1024

function thisProcess(): ProcessMemory {
  let collect: (() => void) | undefined
  return {
    cpuMs: () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1000
    },
    rss: () => process.memoryUsage.rss(),
    collect() {
      if (!collect) {
        setFlagsFromString('--expose-gc')
        collect = runInNewContext('gc') as () => void
      }
      collect()
    },
  }
}
