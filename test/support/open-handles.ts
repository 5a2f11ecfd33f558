import { afterAll } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'

// A setup file: it runs before each test file. Files that share a worker must not leave servers open for the next file.
const before = tally()

afterAll(async () => {
  const end = Date.now() + 5000
  for (;;) {
    const left = surplus()
    if (left.length === 0) return
    if (Date.now() > end) throw new Error(`Still open after the last test of this file: ${left.join(', ')}`)
    // A closed handle disappears a few turns of the event loop later.
    await sleep(20)
  }
})

function surplus(): string[] {
  return Array.from(tally())
    .filter(([type, count]) => count > (before.get(type) ?? 0))
    .map(([type, count]) => `${count - (before.get(type) ?? 0)} ${type}`)
}

/** The number of open resources of each type, without the timers and messages of vitest. */
function tally(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const type of process.getActiveResourcesInfo()) {
    if (!/^(?:Immediate|Timeout|MessagePort|TickObject)$/.test(type))
      counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return counts
}
