import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startCommand, type Started } from '../cli/command.ts'
import { temporaryFolder } from '../support/folder.ts'

/** Measurements of the event loop and the memory of the server. */
export interface Seen {
  /** The delay of each tick of 5 ms, in milliseconds; `stalls.mjs` says what is excluded. */
  stalls: number[]
  /** How late each of these ticks came in all, for the record: it includes waiting for a processor. */
  lateness: number[]
  peak_mib: number
}

/** The command as it ships, with {@link Seen} measured in its own process. */
export interface Watched extends Started {
  /** The measurements since the last call. */
  seen(): Promise<Seen>
}

export async function startWatched(): Promise<Watched> {
  const cwd = temporaryFolder()
  const socket = join(cwd, 'monitor.sock')
  const monitor = pathToFileURL(fileURLToPath(new URL('monitor.mjs', import.meta.url))).href
  const env = { NODE_OPTIONS: `--import ${monitor}`, LOCALPOST_MONITOR: socket }
  const command = await startCommand([], { cwd, env })
  return Object.assign(command, {
    seen: () =>
      new Promise<Seen>((resolve, reject) => {
        let text = ''
        connect(socket)
          .on('data', (piece: Buffer) => (text += piece.toString()))
          .on('end', () => resolve(JSON.parse(text) as Seen))
          .on('error', reject)
      }),
  })
}

/** Adds up the measurements of several steps, and records which steps blocked the event loop longest, and had most memory. */
export function createTally({ seen }: Watched): Tally {
  const stalls: number[] = []
  const lateness: number[] = []
  const steps: { name: string; max: number; peak: number }[] = []
  return {
    async step(name, run) {
      await seen()
      const result = await run()
      const { stalls: own, lateness: late, peak_mib } = await seen()
      // One by one: there may be more than a call takes arguments.
      for (const stall of own) stalls.push(stall)
      for (const one of late) lateness.push(one)
      steps.push({ name, max: own.reduce((most, one) => Math.max(most, one), 0), peak: peak_mib })
      return result
    },
    result() {
      const slowest = steps.toSorted((a, b) => b.max - a.max).slice(0, 3)
      const largest = steps.toSorted((a, b) => b.peak - a.peak).slice(0, 3)
      return {
        p99_ms: p99Of(stalls),
        max_ms: Math.round(Math.max(0, ...steps.map(({ max }) => max))),
        lateness_p99_ms: p99Of(lateness),
        lateness_max_ms: Math.round(lateness.reduce((most, one) => Math.max(most, one), 0)),
        peak_mib: Math.round(Math.max(0, ...steps.map(({ peak }) => peak))),
        slowest: slowest.map(({ name, max }) => `${name}: ${max.toFixed(0)} ms`).join('; '),
        largest: largest.map(({ name, peak }) => `${name}: ${peak.toFixed(0)} MiB`).join('; '),
      }
    },
  }
}

export interface Tally {
  step<T>(name: string, run: () => Promise<T>): Promise<T>
  /** The lateness is only reported; see `stalls.mjs`. */
  result(): {
    p99_ms: number
    max_ms: number
    lateness_p99_ms: number
    lateness_max_ms: number
    peak_mib: number
    /** The steps that blocked the event loop longest, and those with most memory. */
    slowest: string
    largest: string
  }
}

function p99Of(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round((sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0) * 10) / 10
}
