/** Places for the row `smtp 2 KB`. */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit, load, replaced, root } from './versions.mjs'

/** Short rounds in large number, because other load of the machine changes the time of a mail. */
const batch = 200
const rounds = 100

/** A whole captured mail: what the places below are measured against. */
export const captured = {
  count: 1,
  mails: batch,
  rounds,
  async versions() {
    const { run, end } = await capture()
    return { kept: run, end }
  },
}

/** @type {Record<string, import('../places.mjs').Place>} */
export const capturePlaces = {
  // src/capture/connection.ts: replies to pipelined commands are written together.
  'smtp replies': wholeMails({
    'capture/connection.ts': (code) =>
      replaced(code, 'if (!this.#parser?.hasMore) this.flush()', 'if (isFirst) this.flush()'),
  }),
}

function wholeMails(changes) {
  return {
    count: 1,
    mails: batch,
    rounds,
    async versions() {
      const [kept, plain] = [await capture(), await capture(changes)]
      const end = async () => {
        await kept.end()
        await plain.end()
      }
      return { kept: kept.run, plain: plain.run, end }
    },
  }
}

/** Starts an instance and its client. @returns A function that sends a batch of mails. */
async function capture(changes = {}) {
  // The mails are not read for the list: that work comes later, and is the same for both versions.
  const { createLocalpost } = await load('index.ts', {
    ...changes,
    'search/column-indexer.ts': (code) =>
      `${replaced(code, 'export function startIndexer(', 'function unused(')}
      export const startIndexer = () => ({ catchUp: async () => 0, close: async () => {} })`,
  })
  const dir = mkdtempSync(join(tmpdir(), 'localpost-places-'))
  atExit(() => rmSync(dir, { recursive: true, force: true }))
  const post = await createLocalpost({ dir, smtpPort: 0, onNotice() {} })
  const client = fork(join(root, 'bench/load/smtp-batches.mjs'), [String(post.smtp.port), '16'])
  atExit(() => client.kill())
  const answer = () => new Promise((resolve) => client.once('message', resolve))
  await answer()
  return {
    run() {
      client.send(batch)
      return answer()
    },
    async end() {
      client.kill()
      await post.close()
    },
  }
}
