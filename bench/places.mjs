/**
 * Measures each hand-optimised place in the sources against its plain version: `node bench/places.mjs [--only=name]`.
 *
 * Both versions run in turn in one process. The table shows the CPU time of this process for each and their ratio, as
 * medians of the rounds, and what the place saves as a share of the CPU time of one captured mail of 2 KB. If a place
 * saves less than 3 % of its benchmark row, a comment beside it must give another reason for it.
 */
import { parseArgs } from 'node:util'
import { captured, capturePlaces } from './places/capture.mjs'
import { mailPartPlaces } from './places/mail-parts.mjs'
import { sendingPlaces } from './places/sending.mjs'

const { values: flags } = parseArgs({ options: { only: { type: 'string', default: '' } } })

/**
 * @typedef {object} Place
 * @property {number} count  How many times a version is called in each round.
 * @property {number} [mails]  How many mails one call handles. Default: 1.
 * @property {number} [rounds]  Default: 40.
 * @property {() => Promise<{ kept(): unknown, plain(): unknown, end?(): void }>} versions
 */

/** @type {Record<string, Place>} */
const places = { ...sendingPlaces, ...mailPartPlaces, ...capturePlaces }

async function main() {
  const mailUs = median((await timesOf(captured)).kept)
  console.log(`A captured mail of 2 KB takes ${mailUs.toFixed(1)} µs.\n`)
  console.log('| place | kept, µs | plain, µs | kept / plain | saved, of a mail |\n|---|---|---|---|---|')
  for (const [name, place] of Object.entries(places)) {
    if (!name.includes(flags.only)) continue
    const { kept, plain } = await timesOf(place)
    // Of each round, because the load of the machine changes from round to round.
    const ratio = median(kept.map((time, round) => time / plain[round]))
    const keptUs = median(kept)
    const saved = (100 * (keptUs / ratio - keptUs)) / mailUs
    const cells = [
      name,
      keptUs.toFixed(2),
      median(plain).toFixed(2),
      ratio.toFixed(3),
      `${saved.toFixed(1)} %`,
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  // The pools keep their connections open.
  process.exit()
}

/** The CPU time of each version in every counted round, in microseconds. */
async function timesOf({ count, mails = 1, rounds = 40, versions }) {
  const { end, ...runs } = await versions()
  const sides = Object.entries(runs)
  const times = Object.fromEntries(sides.map(([side]) => [side, []]))
  for (let round = 0; round < rounds + warmUp; round++) {
    for (const [side, run] of round % 2 ? sides : sides.toReversed()) {
      const us = (await cpuOf(run, count)) / mails
      if (round >= warmUp) times[side].push(us)
    }
  }
  await end?.()
  return times
}

/** V8 compiles the code in the first rounds, which are not counted. */
const warmUp = 10

async function cpuOf(run, count) {
  const before = process.cpuUsage()
  for (let i = 0; i < count; i++) await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

function median(times) {
  return times.toSorted((a, b) => a - b)[times.length >> 1]
}

await main()
