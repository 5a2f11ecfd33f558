import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../src', import.meta.url))

/** The rooms of the house, from the ground up: a file may import from its own level and from below. */
const levels: readonly (readonly [level: number, pattern: RegExp])[] = [
  [
    0,
    /^(?:budget|chance|errors|error-table|held-clock|holding|hosts|known-options|limits|clock|ids|steps|lists|listen-error|nearest|version)\.ts$/,
  ],
  [1, /^(?:mime|net|store)\//],
  [2, /^(?:records|validate)\.ts$/],
  [4, /^emails\/outbox\//],
  [3, /^(?:emails|domains|audiences|broadcasts|templates|keys|inbox|causes|tracking|webhooks)\//],
  [3.5, /^(?:options|option-checks|collections)\.ts$/],
  [4, /^(?:server|capture)\//],
  [
    5,
    /^(?:localpost|create|opened|test-process|instance|running|http-face|sending|receiving|settling|snapshots|time)\.ts$/,
  ],
  [6, /^(?:cli\/|client\/|testing\/|index\.ts$)/],
  [7, /^(?:vitest|playwright)\//],
]

/** Rooms on one level that do not know each other. */
const strangers = /^(server|capture|mime|net|store|emails\/outbox)\//

/** Packages that only some rooms may know. */
const owners: Readonly<Record<string, RegExp>> = {
  h3: /^server\//,
  'smtp-server': /^capture\//,
  'node-forge': /^capture\//,
  mailparser: /^mime\//,
  libmime: /^mime\//,
  nodemailer: /^(?:mime|emails\/outbox)\//,
  lowdb: /^store\//,
  listhen: /^cli\//,
  citty: /^cli\//,
  consola: /^cli\//,
  tldts: /^domains\//,
  'csv-parse': /^audiences\//,
  standardwebhooks: /^webhooks\//,
  fflate: /^inbox\//,
  htmlparser2: /^(?:inbox|tracking)\//,
  vitest: /^vitest\//,
  '@playwright/test': /^playwright\//,
  zod: /^(?:(?:validate|options)\.ts$|emails\/|domains\/|audiences\/|broadcasts\/|templates\/|keys\/|inbox\/|causes\/|webhooks\/|server\/)/,
}

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))

function importsOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const found = source.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/g,
  )
  return [...found].map((match) => match[1] ?? match[2] ?? '')
}

function levelOf(file: string): number {
  const row = levels.find(([, pattern]) => pattern.test(file))
  if (!row) throw new Error(`${file} stands in no room: give it a level here, or a better place`)
  return row[0]
}

describe('imports', () => {
  it('are found at all', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(importsOf('localpost.ts')).toContain('./domains/domains.ts')
  })

  it('point to their own level or below', () => {
    const breaches = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('.') && target.endsWith('.ts'))
        .map((target) => relative(root, join(root, dirname(file), target)))
        .filter((target) => levelOf(target) > levelOf(file) || areStrangers(file, target))
        .map((target) => `${file} → ${target}`),
    )
    expect(breaches).toEqual([])
  })

  it('take packages only where they belong', () => {
    const breaches = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !target.startsWith('.') && !isBuiltin(target))
        .map((target) =>
          target
            .split('/')
            .slice(0, target.startsWith('@') ? 2 : 1)
            .join('/'),
        )
        .filter((name) => !owners[name]?.test(file))
        .map((name) => `${file} → ${name}`),
    )
    expect(breaches).toEqual([])
  })
})

function areStrangers(file: string, target: string): boolean {
  const room = strangers.exec(file)?.[1]
  const other = strangers.exec(target)?.[1]
  return room !== undefined && other !== undefined && room !== other && levelOf(file) === levelOf(target)
}
