/** From the start of the process to the first SMTP greeting. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { apiKey, maildevFlags } from '../lib/contenders.mjs'
import { importedAtStart, importMs } from '../lib/imports.mjs'
import { freePort, runToEnd, startServer } from '../lib/processes.mjs'
import { rewindCheckpoint, seedMaildev } from '../lib/stores.mjs'

let maildevFolder = null

/** @type {(largest: number) => import('../run.mjs').Group[]} */
export const startGroups = (largest) => [
  {
    row: 'start empty, ms',
    contenders: ['bare node', 'its imports', 'floor', 'process', 'maildev 2.2.1', 'maildev 3.0.0'],
    async measure(contender, context) {
      if (contender === 'bare node') return { ms: (await runToEnd(['-e', '0'])).ms }
      if (contender === 'its imports') {
        context.facts.importedAtStart = importedAtStart
        return { ms: await importMs(importedAtStart, context.packageDir) }
      }
      return greetedBy(await context.start[contender]())
    },
  },
  {
    row: `closed with ${largest}, ms`,
    contenders: ['process'],
    needsStores: true,
    measure: (_, context) => startWithList(context, largest),
  },
  {
    row: `start with ${largest}, ms`,
    contenders: ['process', 'maildev 3.0.0'],
    needsStores: true,
    /** A minute or more each for the peer. */
    rounds: { 'maildev 3.0.0': 1 },
    async measure(contender, context) {
      if (contender === 'process') {
        const dir = context.stores.get(largest)
        const replayed = rewindCheckpoint(dir, Math.min(32, largest / 2000) * 1024 * 1024)
        return { ...(await greetedBy(await context.start.process({ dir }))), replayed }
      }
      maildevFolder ??= mkdtempSync(join(context.scratch, 'maildev-'))
      seedMaildev(maildevFolder, largest)
      const [smtpPort, httpPort] = [await freePort(), await freePort()]
      // It greets before it has read its folder; its page comes when it has.
      const server = await startServer({
        args: [
          context.peers['maildev-3.0.0'],
          ...maildevFlags(smtpPort, httpPort),
          '--mail-directory',
          maildevFolder,
        ],
        smtpPort,
        httpPort,
        cwd: context.scratch,
      })
      const measured = await greetedBy(server)
      rmSync(maildevFolder, { recursive: true, force: true })
      maildevFolder = null
      return measured
    },
  },
]

/** A start on a folder that was closed properly, until a list is answered. */
async function startWithList({ start, stores }, largest) {
  // The folder is a copy, and the indexes for starts name the very files that they were made from.
  await (await start.process({ dir: stores.get(largest) })).stop('SIGTERM')
  const server = await start.process({ dir: stores.get(largest) })
  const begunAt = performance.now()
  const answer = await fetch(`http://127.0.0.1:${server.httpPort}/v1/emails`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  if (!answer.ok) throw new Error(`the list is answered ${answer.status}`)
  await answer.text()
  const listMs = performance.now() - begunAt
  await server.stop('SIGTERM')
  return { ms: Math.max(server.greetedMs, server.httpMs) + listMs, 'greeting, ms': server.greetedMs }
}

async function greetedBy(server) {
  await server.stop('SIGKILL')
  return { ms: server.greetedMs, httpMs: server.httpMs }
}
