/** `GET /dev/inbox?query=` for words of the text, and how soon the text of a burst is found. */
import { submit } from '../lib/stores.mjs'

/** Searches by subject and addresses, for what is in no mail, in few and in every one. */
const members = ['subject', 'from', 'to'].flatMap((key) => {
  const one = key === 'subject' ? 'message 42 ' : `${key === 'from' ? 'sender' : 'ada'}42@`
  const all = key === 'subject' ? 'benchmark' : key === 'from' ? 'acme.test' : 'example.com'
  return ['nowhere', one, all].map((value, at) => [
    `${key}: ${['none', 'few', 'all'][at]}`,
    `${key}:"${value}"`,
  ])
})
/** Searches by facts of the record, likewise: hits in no mail, in few where the key allows it, and in every one. */
const facts = [
  ['is: none', 'is:read'],
  ['is: all', 'is:unread'],
  ['tag: none', 'tag:nowhere'],
  ['source: none', 'source:api'],
  ['source: all', 'source:smtp'],
  ['status: none', 'status:bounced'],
  ['status: all', 'status:delivered'],
  ['domain: none', 'domain:nowhere.test'],
  ['domain: all', 'domain:acme.test'],
  ['before: none', 'before:2020-01-01'],
  ['before: all', 'before:0m'],
  ['larger: none', 'larger:10mb'],
  ['larger: all', 'larger:1'],
  ['has: none', 'has:attachment'],
  ['has: all', '-has:attachment'],
]
/** Words by how often they stand in the messages: in none, in few, in every one. */
const words = ['nowhere', 'message 42 ', 'wizards']
const settleMs = 250

/** @type {(size: number) => import('../run.mjs').Group[]} */
export const searchGroups = (size) => [
  {
    row: `search of the text, ${size} stored`,
    contenders: ['process'],
    rounds: { process: 1 },
    needsStores: true,
    async measure(contender, { start, stores }) {
      const open = () => start[contender]({ dir: stores.get(size), probed: true })
      let server = await open()
      try {
        // What the seeding left unread is read first.
        await until(server, 'wizards', (count) => count >= size)
        await server.stop('SIGTERM')
        server = await open()
        const startedAt = performance.now()
        await count(server, 'message 42 ')
        const first = performance.now() - startedAt
        await server.ask('reset')
        const values = { 'first after a start, ms': first, ...(await searchTimes(server)) }
        const { p99Ms, maxMs } = await server.ask('report')
        for (const [name, query] of [...members, ...facts])
          values[`${name}, ms`] = await medianMs(server, query)
        await submit(server, 1000, 2048)
        const begunAt = performance.now()
        await until(server, 'wizards', (count) => count >= size + 1000)
        return {
          ...values,
          'stall p99': p99Ms,
          'stall max': maxMs,
          'burst found, ms': performance.now() - begunAt,
        }
      } finally {
        await server.stop('SIGTERM')
      }
    },
  },
]

/**
 * How long searches for a word of none, of few and of all messages take, and for the first matches of one of all.
 *
 * @returns {Promise<Record<string, number>>}
 */
export async function searchTimes(server) {
  const values = {}
  for (const word of words) values[`${word.trim()}, ms`] = await medianMs(server, `"${word}"`)
  values['wizards: the first 50, ms'] = await medianMs(server, '"wizards"', 'page')
  return values
}

async function medianMs(server, query, extent = 'all') {
  const times = []
  for (let i = 0; i < 9; i++) {
    const begunAt = performance.now()
    await count(server, query, extent)
    times.push(performance.now() - begunAt)
  }
  return times.sort((a, b) => a - b)[4]
}

async function count(server, query, extent = 'all') {
  const path = `/dev/inbox?limit=50&count=${extent}&query=${encodeURIComponent(query)}`
  const answer = await fetch(`http://127.0.0.1:${server.httpPort}${path}`)
  if (!answer.ok) throw new Error(`${path} is answered ${answer.status}`)
  return (await answer.json()).count
}

/** Searches again and again until there are enough hits. */
export async function until(server, query, isEnough) {
  for (let tries = 0; tries < 2400; tries++) {
    if (isEnough(await count(server, query))) return
    await new Promise((resolve) => setTimeout(resolve, settleMs))
  }
  throw new Error('the text is not read in ten minutes')
}
