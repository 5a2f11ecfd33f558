/** The rows of `--waits`: how long a person waits. One run with two rounds takes about 16 minutes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { embedGroups } from './embed.mjs'
import { change, fromFlood, largeDetail, open, reads } from './waits-of.mjs'
import { afterFlood, atOnce, idle, restarted, sequentialPosts } from './waits-alone.mjs'

/**
 * @param {boolean} quick
 * @param {ReturnType<typeof import('../lib/database.mjs').createSchemas> | null} schemas
 * @returns {import('../run.mjs').Group[]}
 */
export function waitGroups(quick, schemas) {
  const [flooded, stored, most] = quick ? [1000, 2000, 3000] : [20_000, 100_000, 300_000]
  const contenders = ['process', ...(schemas ? ['PostgreSQL'] : []), 'mailpit']
  const once = Object.fromEntries(contenders.map((one) => [one, 1]))
  /** Runs with a new store, which is removed at the end. */
  const fresh = (row, measure, more = {}) => ({
    row,
    contenders,
    ...more,
    async measure(contender, context) {
      const store =
        contender === 'PostgreSQL' ? schemas.fresh() : mkdtempSync(join(context.scratch, 'waits-'))
      try {
        return await measure(() => open(contender, context, store), contender, context)
      } finally {
        if (contender !== 'PostgreSQL') rmSync(store, { recursive: true, force: true })
      }
    },
  })
  const filled = new Map()
  /** The store of `stored` mails, which is made once; the texts of all have been read. */
  async function storeOf(contender, context) {
    if (contender === 'PostgreSQL') return await schemas.of(stored, context)
    if (!filled.has(contender)) filled.set(contender, await fromFlood(contender, context, stored))
    return filled.get(contender)
  }
  /** The contenders whose mails are marked as read: each round changes all of them. */
  const areRead = new Set()
  return [
    fresh(`right after a flood of ${flooded}`, (start) => afterFlood(start, flooded, 5 * 1024)),
    {
      row: `with ${stored} stored`,
      contenders,
      async measure(contender, context) {
        const server = await open(contender, context, await storeOf(contender, context))
        const isRead = !areRead.delete(contender)
        if (isRead) areRead.add(contender)
        try {
          return { ...(await reads(server, stored)), ...(await change(server, stored, isRead)) }
        } finally {
          await server.stop('SIGTERM')
        }
      },
    },
    fresh('from the start of the process', (start) => atOnce(start)),
    fresh('one POST after the other', (start) => sequentialPosts(start, quick ? 50 : 500)),
    fresh('a mail of 1 MB', (start) => largeDetail(start)),
    ...embedGroups.map((group) => ({
      ...group,
      row: 'the library',
      contenders: group.contenders.filter((one) => /^(close|detail)/.test(one)),
    })),
    fresh('idle', (start) => idle(start, quick ? 3000 : 30_000), { rounds: once }),
    fresh(`a restart right after ${most}`, (start) => restarted(start, most, 5 * 1024), {
      contenders: ['process'],
      rounds: { process: 1 },
    }),
  ]
}
