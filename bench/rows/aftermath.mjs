/** What comes after something large: capture after 50,000 mails were deleted, the start after a kill under load. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runJson } from '../lib/processes.mjs'

const generator = fileURLToPath(new URL('../load/smtp.mjs', import.meta.url))
const load = {
  connections: 16,
  bytes: 2 * 1024,
  oneEach: false,
  warmUpMs: 0,
  warmUpCount: 0,
  measureMs: 2700,
  leastCount: 8000,
  count: 400_000,
}

/** @type {(stored: number) => import('../run.mjs').Group[]} */
export const aftermathGroups = (stored) => [
  {
    row: `smtp 2 KB, with ${stored} stored`,
    contenders: ['kept', 'deleted'],
    needsStores: true,
    async measure(contender, { start, stores, scratch }) {
      const dir = mkdtempSync(join(scratch, 'after-'))
      cpSync(stores.get(stored), dir, { recursive: true })
      const server = await start.process({ dir })
      try {
        // Both run the same code first; what is measured begins with the deletion's answer.
        await submit(server, { ...load, measureMs: 1000, leastCount: 4000 })
        if (contender === 'deleted') await removeAll(server)
        return await submit(server, load)
      } finally {
        await server.stop('SIGKILL')
        rmSync(dir, { recursive: true, force: true })
      }
    },
  },
  {
    row: 'start after SIGKILL under load, ms',
    contenders: ['process', 'disk'],
    async measure(contender, { start, scratch }) {
      const dir = mkdtempSync(join(scratch, 'killed-'))
      try {
        const first = await start[contender]({ dir })
        // The load ends with an error when its server is gone.
        const over = submit(first, { ...load, measureMs: 60_000 }).catch(() => null)
        await new Promise((resolve) => setTimeout(resolve, 3000))
        await first.stop('SIGKILL')
        const again = await start[contender]({ dir })
        await Promise.all([over, again.stop('SIGKILL')])
        return { ms: again.greetedMs, httpMs: again.httpMs }
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  },
]

function submit(server, extent) {
  return runJson([generator, JSON.stringify({ ...extent, port: server.smtpPort, pid: server.pid })])
}

async function removeAll(server) {
  const answer = await fetch(`http://127.0.0.1:${server.httpPort}/dev/inbox?all=true`, { method: 'DELETE' })
  if (!answer.ok) throw new Error(`the deletion was answered ${answer.status}`)
}
