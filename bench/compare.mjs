/**
 * Two builds beside each other: `node bench/compare.mjs --package=<new> --before=<old>`.
 *
 * Both servers live at the same time and take small batches of the same load in turn, so that what disturbs the machine
 * disturbs both. Both are started several times, since two lives of one build differ by what the compiler and the collector
 * decide. The table shows the CPU time of the server's main thread per item, summed over all batches, and new / old with
 * the range that holds 95 % of such ratios (bootstrap over the pairs of batches). What a server does between its batches
 * counts too: it reads the texts of mail when no mail arrives, and when that is differs from batch to batch.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { apiKey, createContenders } from './lib/contenders.mjs'
import { cpuEach, cpuOf } from './lib/cpu.mjs'
import { runJson } from './lib/processes.mjs'

const bench = dirname(fileURLToPath(import.meta.url))
const { values: flags } = parseArgs({
  options: {
    package: { type: 'string', default: dirname(bench) },
    before: { type: 'string' },
    pairs: { type: 'string', default: '10' },
    lives: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
  },
})
const smtp = join(bench, 'load/smtp.mjs')
const http = join(bench, 'load/http.mjs')
const posted = { path: '/v1/emails', method: 'POST', key: apiKey, connections: 16, count: 600 }

/** A row: how the server is started, and one batch of its load. */
const rows = {
  'smtp 2 KB': { generator: smtp, load: { bytes: 2048, connections: 16, count: 2000 } },
  'smtp 2 KB, disk': {
    durability: 'disk',
    generator: smtp,
    load: { bytes: 2048, connections: 16, count: 1500 },
  },
  'smtp 2 KB, one each': {
    generator: smtp,
    load: { bytes: 2048, connections: 16, oneEach: true, count: 500 },
  },
  'smtp 20 KB': { generator: smtp, load: { bytes: 20_480, connections: 16, count: 1000 } },
  'smtp 1 MB': { generator: smtp, load: { bytes: 1024 * 1024, connections: 16, count: 60 } },
  'post, outbox running': { generator: http, load: posted },
  'post, outbox waiting': { generator: http, load: posted, isWaiting: true },
  'post, outbox waiting, disk': { durability: 'disk', generator: http, load: posted, isWaiting: true },
  'start empty': null,
}

await main()

async function main() {
  if (flags.before === undefined) throw new Error('--before=<folder of the older build> is missing')
  const folders = { new: resolve(flags.package), old: resolve(flags.before) }
  for (const folder of Object.values(folders))
    if (!existsSync(join(folder, 'dist/cli/main.js')))
      throw new Error(`${folder} is not built: npm run build`)
  const scratch = mkdtempSync(join(tmpdir(), 'localpost-compare-'))
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
  const start = Object.fromEntries(
    Object.entries(folders).map(([name, packageDir]) => [
      name,
      createContenders({ packageDir, scratch, peers: {} }),
    ]),
  )
  const wanted = new RegExp(flags.only, 'i')
  console.log('| row | old, µs each | new, µs each | new / old | 95 % |\n|---|---|---|---|---|')
  for (const [name, row] of Object.entries(rows)) {
    if (!wanted.test(name)) continue
    const pairs = []
    for (let life = 0; life < Number(flags.lives); life++)
      pairs.push(...(row ? await pairsOf(row, start) : await startPairs(start)))
    console.log(lineOf(name, pairs))
  }
}

async function pairsOf({ durability = 'process', generator, load, isWaiting = false }, start) {
  const others = []
  const servers = {}
  try {
    for (const name of ['new', 'old']) {
      const relay = isWaiting ? await start[name]['mute relay']() : null
      if (relay) others.push(relay)
      servers[name] = await start[name][durability]({
        flags: relay ? ['--relay', `smtp://127.0.0.1:${relay.smtpPort}`, '--relay-all'] : [],
      })
      others.unshift(servers[name])
    }
    const counted = {}
    /** @returns The CPU time since the end of the last batch of the same server. */
    const batch = async (name) => {
      const { smtpPort, httpPort, pid } = servers[name]
      const extent = { warmUpMs: 0, warmUpCount: 0, measureMs: 1e6, leastCount: load.count }
      await runJson([
        generator,
        JSON.stringify({ ...load, ...extent, port: generator === http ? httpPort : smtpPort }),
      ])
      const before = counted[name]
      counted[name] = cpuOf(pid)
      return before ? cpuEach(before, counted[name], load.count).mainUs : 0
    }
    // The first batches compile: at 600 requests each, the time of one still falls after eight.
    for (let i = 0; i < 10; i++) for (const name of ['old', 'new']) await batch(name)
    return await inTurn(batch)
  } finally {
    for (const server of others) await server.stop('SIGKILL')
  }
}

/** CPU time from the start of the process to its greeting and its first HTTP connection. */
function startPairs(start) {
  return inTurn(async (name) => {
    const server = await start[name].process()
    const { mainUs } = cpuOf(server.pid)
    await server.stop('SIGKILL')
    return mainUs
  })
}

/** Old and new in turn, the first of a pair changing, so that neither has the better place. */
async function inTurn(measure) {
  const pairs = []
  for (let i = 0; i < Number(flags.pairs); i++) {
    const pair = {}
    for (const name of i % 2 === 0 ? ['old', 'new'] : ['new', 'old']) pair[name] = await measure(name)
    pairs.push(pair)
  }
  return pairs
}

function lineOf(name, pairs) {
  const ratios = Array.from({ length: 2000 }, () =>
    ratioOf(pairs.map(() => pairs[Math.floor(Math.random() * pairs.length)])),
  ).sort((a, b) => a - b)
  const us = (side) => (totalOf(pairs, side) / pairs.length).toFixed(1)
  const range = `${ratios[50].toFixed(3)} to ${ratios[1949].toFixed(3)}`
  return `| ${name} | ${us('old')} | ${us('new')} | ${ratioOf(pairs).toFixed(3)} | ${range} |`
}

function totalOf(pairs, side) {
  return pairs.reduce((sum, pair) => sum + pair[side], 0)
}

function ratioOf(pairs) {
  return totalOf(pairs, 'new') / totalOf(pairs, 'old')
}
