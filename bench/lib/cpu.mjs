/** CPU time of another process: on a busy machine it says more than the clock. */
import { readFileSync } from 'node:fs'

/**
 * What a process has used so far.
 *
 * @param {number | undefined} pid
 * @returns {{ mainUs: number, allUs: number } | null} Microseconds of its main thread, where JavaScript runs, and of
 *   all its threads; null where the system does not tell (only Linux does).
 */
export function cpuOf(pid) {
  if (pid === undefined) return null
  try {
    const mainUs = Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1000
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // In ticks of 10 ms, on every Linux that Node runs on.
    return { mainUs, allUs: (Number(fields[11]) + Number(fields[12])) * 10_000 }
  } catch {
    return null
  }
}

/** @returns {{ mainUs: number | null, allUs: number | null }} Per item, between two looks. */
export function cpuEach(before, after, items) {
  if (!before || !after || items === 0) return { mainUs: null, allUs: null }
  return { mainUs: (after.mainUs - before.mainUs) / items, allUs: (after.allUs - before.allUs) / items }
}

/** Resident memory of a process in bytes; null where the system does not tell. */
export function rssOf(pid) {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  } catch {
    return null
  }
}
