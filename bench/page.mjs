/**
 * Measures the inbox page in Chromium: `node bench/page.mjs [--sizes=50000,500000] [--write-docs] [--mailpit=<path>]`.
 * It needs the built command (`npm run build`) and Chromium, by its path in CHROMIUM_PATH or at /usr/bin/chromium.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { createContenders } from './lib/contenders.mjs'
import { machineFacts } from './lib/machine.mjs'
import { submit, seedStores } from './lib/stores.mjs'
import { observePage } from './page/observe.mjs'
import {
  arrival,
  deleteAll,
  fastScroll,
  firstList,
  fling,
  jump,
  leaveSearch,
  limits,
  markAllRead,
  nextMail,
  openMail,
  search,
  searchAll,
} from './page/steps.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '50000,500000' },
    'write-docs': { type: 'boolean', default: false },
    mailpit: { type: 'string' },
    package: { type: 'string', default: root },
  },
})
const tell = (line) => process.stderr.write(`${line}\n`)
const sizes = flags.sizes.split(',').map(Number)
const facts = machineFacts()
const scratch = mkdtempSync(join(tmpdir(), 'localpost-bench-page-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))
const start = createContenders({
  packageDir: resolve(flags.package),
  scratch,
  peers: {},
  mailpit: flags.mailpit && resolve(flags.mailpit),
})
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
})
/** How many mails of 20 KB are opened the moment they arrive, and as many soon after it. */
const longMails = 5
/** A person needs as long to see it and press. */
const reactionMs = 200
const longHtml = '<p>A paragraph of a mail that somebody waited for.</p>\n'.repeat(370)
/** Samples by row and column. */
const samples = new Map()
try {
  const folders = await seedStores({ start, scratch, tell }, sizes)
  // The changes of all mails destroy their folder, and are limited for the smallest size only.
  for (const size of sizes) await measure(size, folders.get(size), size === sizes[0])
  if (flags.mailpit) await measureMailpit(sizes[0])
} finally {
  await browser.close()
}
report()

async function measure(size, dir, isChanging) {
  const server = await start.process({ dir })
  const url = `http://127.0.0.1:${server.httpPort}/`
  const column = size.toLocaleString('en')
  const add = (row, value) => record(column, row, value)
  try {
    await indexed(url)
    const page = await openPage(add, url)
    for (let at = 1; at <= 7; at++) add('open a mail', await openMail(page, at))
    for (let count = 0; count < longMails; count++) {
      await arrival(page, server.smtpPort, `Long mail ${count}`, longHtml)
      add('open a mail of 20 KB in the frame in which it arrives', await openMail(page, 0, 0))
      await arrival(page, server.smtpPort, `Longer mail ${count}`, longHtml)
      await page.waitForTimeout(reactionMs)
      add('open a mail of 20 KB, without resting on it', await openMail(page, 0, 0))
    }
    for (let count = 0; count < 3; count++) {
      const { full, longest } = await fling(page)
      add('fling of 10,000 px/s: frames full of rows, %', full)
      add('fling of 10,000 px/s: rows were missing for, at most', longest)
    }
    for (let count = 0; count < 3; count++)
      add('fast scroll through the list: rows in sight, %, at least', await fastScroll(page))
    for (let count = 0; count < 9; count++) add('next mail with j', await nextMail(page))
    for (const part of [0.5, 0.25, 0.75, 0.4, 0.6]) add('jump to the middle', await jump(page, part))
    await jump(page, 0)
    for (let count = 0; count < 3; count++) {
      add('search for nothing', await search(page, `nowhere${count}`, '0'))
      // Each search for everything is new, so that no answer is kept from the last one.
      const { shown, counted } = await searchAll(page, ['quick', 'brown', 'wizards'][count], String(size))
      add('search for everything', shown)
      add('search for everything: all are counted', counted)
    }
    await leaveSearch(page, String(size + 2 * longMails))
    for (let count = 0; count < 5; count++)
      add('arrival after its 250', await arrival(page, server.smtpPort, `Arrival ${count}`))
    if (!isChanging) return
    await page.getByRole('button', { name: 'More about the list' }).click()
    addChange(add, 'mark all as read', await markAllRead(page))
    addChange(add, 'delete all', await deleteAll(page))
  } finally {
    await server.stop('SIGTERM')
  }
}

/** Loads the page five times. @returns The last one. */
async function openPage(add, url) {
  for (let left = 4; ; left--) {
    const page = await newPage()
    const { ms, kilobytes, requests, allRequests, loaded } = await firstList(page, url)
    add('first list', ms)
    add('requests until the first list', requests)
    add('requests until nothing is left to load', allRequests)
    add('the load, KB', loaded)
    add('initial JavaScript, KB gzip', kilobytes)
    if (left === 0) return page
    await page.context().close()
  }
}

async function newPage() {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.addInitScript(observePage)
  return page
}

function addChange(add, row, { ms, longest }) {
  add(row, ms)
  add(`${row}: the page stood still, at most`, longest)
}

/** Waits until all texts are in the index. A start reads those that were not, and a search waits 5 seconds for them. */
async function indexed(url) {
  for (let isIndexed = false; !isIndexed;) {
    const answer = await fetch(`${url}dev/inbox?query=${encodeURIComponent('nothing-like-it is:unread')}`)
    if (!answer.ok) throw new Error(`the first search failed: ${answer.status} ${await answer.text()}`)
    isIndexed = !('unread_texts' in (await answer.json()))
  }
}

/** What both pages have: the first rows. Mailpit's rows have the class `message`. */
async function measureMailpit(size) {
  const server = await start.mailpit()
  try {
    await submit(server, size, 2048)
    for (let count = 0; count < 5; count++) {
      const page = await newPage()
      await page.goto(`http://127.0.0.1:${server.httpPort}/`, {
        waitUntil: 'commit',
      })
      const ms = await page.evaluate(() =>
        globalThis.bench.until(() => document.querySelector('.message'), 60_000),
      )
      record(`Mailpit, ${size.toLocaleString('en')}`, 'first list', ms)
      await page.context().close()
    }
  } finally {
    await server.stop('SIGTERM')
  }
}

function record(column, row, value) {
  const columns = samples.get(row) ?? new Map()
  columns.set(column, [...(columns.get(column) ?? []), value])
  samples.set(row, columns)
  tell(`${column} · ${row}: ${value.toFixed(1)}`)
}

function report() {
  const columns = [...new Set([...samples.values()].flatMap((one) => [...one.keys()]))]
  const cell = (values) => {
    if (!values) return '–'
    const sorted = values.toSorted((a, b) => a - b)
    return `${sorted[Math.floor(sorted.length / 2)].toFixed(0)} (${sorted.at(-1).toFixed(0)})`
  }
  const markdown = [
    `Run of ${facts.date.slice(0, 16).replace('T', ' ')} UTC with Chromium ${browser.version()}; ${
      facts.cores
    } cores (${facts.cpu}), Node ${facts.node.slice(1)}; load average before the run ${facts.load_before.join(
      ', ',
    )}. Milliseconds: the median, and the worst in parentheses.`,
    '',
    `| with mails | limit | ${columns.join(' | ')} |`,
    `|---|---|${columns.map(() => '---|').join('')}`,
    ...[...samples].map(
      ([row, values]) =>
        `| ${row} | ${limits[row] ?? ''} | ${columns.map((name) => cell(values.get(name))).join(' | ')} |`,
    ),
  ].join('\n')
  console.log(markdown)
  if (flags['write-docs']) writeDocs(markdown)
}

function writeDocs(markdown) {
  const path = join(root, 'docs/performance.md')
  const [begin, end] = ['<!-- page:begin -->', '<!-- page:end -->']
  const text = readFileSync(path, 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${path} has no place for the table between ${begin} and ${end}`)
  writeFileSync(path, `${before}${begin}\n${markdown}\n${end}${after}`)
}
