/**
 * The benchmark: `node bench/run.mjs` runs peers, floors and Localpost interleaved and compares their medians.
 * See docs/performance.md.
 *
 * @typedef {object} Group  One row of the outcome.
 * @property {string} row
 * @property {string[]} contenders  In the order in which each round runs them.
 * @property {boolean} [needsStores]  Wants the seeded data folders.
 * @property {Record<string, number>} [rounds]  Where a contender takes too long for every round.
 * @property {(contender: string, context: Context) => Promise<Record<string, number>>} measure
 *
 * @typedef {object} Context
 * @property {ReturnType<typeof createContenders>} start
 * @property {boolean} quick
 * @property {string} packageDir
 * @property {string} scratch
 * @property {Map<number, string>} stores  Data folder by number of emails.
 * @property {Record<string, string>} peers
 * @property {Record<string, unknown>} facts  Written with the outcome.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createContenders } from './lib/contenders.mjs'
import { createSchemas } from './lib/database.mjs'
import { machineFacts, versions } from './lib/machine.mjs'
import { installPeers } from './lib/peers.mjs'
import { toMarkdown } from './lib/report.mjs'
import { createSamples } from './lib/samples.mjs'
import { seedStores } from './lib/stores.mjs'
import { accountGroups, accountSizes } from './rows/accounts.mjs'
import { aftermathGroups } from './rows/aftermath.mjs'
import { bulkGroups } from './rows/bulk.mjs'
import { embedGroups } from './rows/embed.mjs'
import { floodGroups } from './rows/flood.mjs'
import { listGroups } from './rows/lists.mjs'
import { liveGroups } from './rows/live.mjs'
import { memoryGroups } from './rows/memory.mjs'
import { searchGroups } from './rows/search.mjs'
import { sendGroups } from './rows/send.mjs'
import { postgresGroups } from './rows/postgres.mjs'
import { smtpGroups } from './rows/smtp.mjs'
import { startGroups } from './rows/start.mjs'
import { scaleGroups, scaleSizes } from './rows/scale.mjs'
import { waitGroups } from './rows/waits.mjs'
import { rareIn } from './rows/waits-of.mjs'
import { scaleTargets } from './scale-targets.mjs'
import { judge } from './target.mjs'
import { targets } from './targets.mjs'
import { waitTargets } from './wait-targets.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    'without-peers': { type: 'boolean', default: false },
    'write-docs': { type: 'boolean', default: false },
    largest: { type: 'string' },
    scale: { type: 'boolean', default: false },
    waits: { type: 'boolean', default: false },
    mailpit: { type: 'string' },
    postgres: { type: 'string' },
    package: { type: 'string', default: root },
    results: { type: 'string', default: join(root, 'bench/results') },
  },
})
/** The whole run, or one of two other collections of rows. */
const kind = flags.scale ? 'scale' : flags.waits ? 'waits' : 'bench'
const tell = (line) => process.stderr.write(`${line}\n`)
await main()

async function main() {
  const startedAt = performance.now()
  const { quick } = flags
  const rounds = Number(flags.rounds ?? (quick ? 1 : kind === 'bench' ? 5 : 3))
  const packageDir = resolve(flags.package)
  if (!existsSync(join(packageDir, 'dist/cli/main.js')))
    throw new Error(`${packageDir} is not built: npm run build`)
  const sizes = flags.scale ? scaleSizes(quick) : quick ? [100, 2000] : [100, 1000, 10_000, 50_000, 100_000]
  const stored = flags.largest ? [...sizes, Number(flags.largest)] : sizes
  const wanted = new RegExp(flags.only ?? '', 'i')
  const rowsOf = {
    scale: () => scaleGroups(quick),
    waits: () => waitGroups(quick, flags.postgres ? createSchemas(flags.postgres, rareIn) : null),
    bench: () => usualGroups(sizes, stored),
  }
  const groups = rowsOf[kind]().filter(({ row }) => wanted.test(row))
  if (!flags.mailpit) tell('Mailpit takes no part: give the path of its binary with --mailpit=<path>.')
  const hasPeers = !flags['without-peers'] && kind === 'bench'
  const peers = hasPeers ? installPeers(tell) : {}
  const facts = machineFacts()
  const scratch = mkdtempSync(join(tmpdir(), 'localpost-bench-'))
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  const start = createContenders({
    packageDir,
    scratch,
    peers,
    mailpit: flags.mailpit && resolve(flags.mailpit),
  })
  const samples = createSamples()
  const context = { start, quick, packageDir, scratch, peers, facts, stores: new Map() }
  if (groups.some(({ needsStores }) => needsStores))
    context.stores = await seedStores({ start, scratch, tell }, stored)
  for (let round = 1; round <= rounds; round++) {
    for (const group of groups) await runGroup(group, round, rounds, context, samples)
  }
  write({
    facts,
    versions: versions(packageDir),
    settings: { rounds, quick, kind, only: flags.only ?? null },
    samples,
    targets: judge({ scale: scaleTargets, waits: waitTargets, bench: targets }[kind], samples),
    seconds: (performance.now() - startedAt) / 1000,
  })
}

/** All rows but those of `--scale` or `--waits` alone. */
function usualGroups(sizes, stored) {
  const { quick } = flags
  const largest = sizes.at(-1)
  return [
    ...smtpGroups,
    ...sendGroups,
    ...aftermathGroups(sizes.at(-2)),
    ...bulkGroups(sizes.at(-2)),
    ...startGroups(largest),
    ...accountGroups(accountSizes(quick)),
    ...embedGroups,
    ...listGroups(stored),
    ...searchGroups(largest),
    ...liveGroups(quick),
    ...(quick ? memoryGroups(1000, 4000) : memoryGroups(10_000, 100_000)),
    ...(flags.postgres ? postgresGroups(flags.postgres, quick) : []),
    ...floodGroups([{ count: quick ? 4000 : 100_000, bytes: 20 * 1024 }]),
  ]
}

async function runGroup({ row, contenders, measure, rounds: own = {} }, round, rounds, context, samples) {
  for (const contender of contenders) {
    if (contender.startsWith('maildev') && flags['without-peers']) continue
    if (contender === 'mailpit' && !flags.mailpit) continue
    if (round > (own[contender] ?? rounds)) continue
    try {
      const values = await measure(contender, context)
      samples.add(row, contender, values)
      const { perSecond, ms, p50Ms, mainUs } = values
      const said = Object.entries({ perSecond, ms, p50Ms, mainUs }).filter(([, value]) =>
        Number.isFinite(value),
      )
      tell(
        `${round}/${rounds} ${row} · ${contender}: ${said.map(([name, value]) => `${name} ${value.toPrecision(4)}`).join(', ') || JSON.stringify(values)}`,
      )
    } catch (error) {
      tell(
        `${round}/${rounds} ${row} · ${contender}: FAILED ${error instanceof Error ? error.message : String(error)}`,
      )
      process.exitCode = 1
    }
  }
}

/** A whole run replaces the last one of its kind. The outcome of a part of the rows is not for the repository. */
function write(run) {
  const markdown = toMarkdown(run)
  const json = `${JSON.stringify({ ...run, samples: run.samples.all }, null, 2)}\n`
  mkdirSync(flags.results, { recursive: true })
  const isWhole = !run.settings.quick && run.settings.only === null
  const date = run.facts.date.slice(0, 16).replaceAll(':', '')
  const path = join(
    flags.results,
    `${kind === 'bench' ? '' : `${kind}-`}${isWhole ? 'latest' : `${date}.local`}`,
  )
  writeFileSync(`${path}.json`, json)
  writeFileSync(`${path}.md`, `${markdown}\n`)
  if (flags['write-docs']) writeDocs(markdown)
  console.log(markdown)
}

function writeDocs(markdown) {
  const path = join(root, 'docs/performance.md')
  const [begin, end] = [`<!-- ${kind}:begin -->`, `<!-- ${kind}:end -->`]
  const text = readFileSync(path, 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${path} has no place for the table between ${begin} and ${end}`)
  writeFileSync(path, `${before}${begin}\n${markdown}\n${end}${after}`)
}
