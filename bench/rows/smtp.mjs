/** Capture over SMTP: messages per second, 16 connections. */
import { fileURLToPath } from 'node:url'
import { runJson } from '../lib/processes.mjs'

const generator = fileURLToPath(new URL('../load/smtp.mjs', import.meta.url))
const everyone = [
  'sink',
  'floor',
  'stock',
  'append',
  'process',
  'disk',
  'maildev 2.2.1',
  'maildev 3.0.0',
  'mailpit',
]

/** Counts are what a fast contender needs to be compiled and measured; a slow one is given up on after eight seconds. */
const loads = {
  'smtp 2 KB': { bytes: 2 * 1024, oneEach: false, warmUpCount: 4000, leastCount: 8000, count: 400_000 },
  'smtp 20 KB': { bytes: 20 * 1024, oneEach: false, warmUpCount: 2000, leastCount: 4000, count: 100_000 },
  'smtp 1 MB': { bytes: 1024 * 1024, oneEach: false, warmUpCount: 40, leastCount: 80, count: 1500 },
  'smtp 2 KB, one each': {
    bytes: 2 * 1024,
    oneEach: true,
    warmUpCount: 1000,
    leastCount: 2000,
    count: 30_000,
  },
  'smtp single, ms': {
    bytes: 2 * 1024,
    oneEach: true,
    stepwise: true,
    connections: 1,
    warmUpCount: 4000,
    leastCount: 1000,
    count: 30_000,
  },
}

/** @type {import('../run.mjs').Group[]} */
export const smtpGroups = Object.entries(loads).map(([row, load]) => ({
  row,
  contenders: everyone,
  async measure(contender, { start, quick }) {
    const server = await start[contender]()
    try {
      const extent = quick
        ? {
            warmUpMs: 300,
            measureMs: 500,
            warmUpCount: load.warmUpCount / 4,
            leastCount: load.leastCount / 8,
          }
        : { warmUpMs: 700, measureMs: 2000 }
      return await runJson([
        generator,
        JSON.stringify({ connections: 16, ...load, ...extent, port: server.smtpPort, pid: server.pid }),
      ])
    } finally {
      await server.stop('SIGKILL')
    }
  },
}))
