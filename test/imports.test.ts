import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../src', import.meta.url))

/** The folders of `src`, from the ground up: a file may import from its own folder and from those before it. */
const folders: readonly string[] = [
  'core',
  'net',
  'mime',
  'store',
  'client-support',
  'reading',
  'domains',
  'templates',
  'keys',
  'users',
  'oidc',
  'accounts',
  'rules',
  'attachments',
  'audiences',
  'faults',
  'emails',
  'sending',
  'outbox',
  'broadcasts',
  'tracking',
  'webhooks',
  'search',
  'checks',
  'compare',
  'inbox',
  'options',
  'capture',
  'telemetry',
  'server',
  'providers',
  'mcp',
  'instance',
  'client',
  'cli',
  'report',
  'pictures',
  'testing',
  'vitest',
  'playwright',
  'jest',
  'cypress',
]

/** The folders inside a folder, from the ground up, in the same way; `''` is for the files of the folder itself. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  mime: ['headers', '', 'html', 'compose', 'dkim'],
  store: ['', 'memory', 'lock', 'disk', 'doctor', 'postgres', 'copy'],
}

/** Folders that may not import each other, although one is before the other. */
const strangers: readonly (readonly string[])[] = [
  ['capture', 'server'],
  ['net', 'mime', 'store'],
  ['vitest', 'playwright', 'jest', 'cypress'],
]

/** The exports of the store; all its other files are internal. */
const storeNames: ReadonlySet<string> = new Set([
  'store/store.ts',
  'store/error-codes.ts',
  'store/partitioned-store.ts',
  'store/queries.ts',
  'store/texts.ts',
  'store/repository.ts',
  'store/follow.ts',
  'store/shared-log.ts',
  'store/memory/open.ts',
  'store/disk/open.ts',
  'store/postgres/open.ts',
  'store/postgres/address.ts',
  'store/postgres/inspect.ts',
  'store/restore.ts',
  'store/copy/copy.ts',
  'store/copy/compare.ts',
  'store/where.ts',
  'store/doctor/inspect.ts',
  'store/doctor/accept-edits.ts',
  'store/doctor/salvage.ts',
  'store/unfinished.ts',
])

/** Packages that only some folders may import. */
const owners: Readonly<Record<string, RegExp>> = {
  '@modelcontextprotocol/server': /^mcp\//,
  h3: /^server\//,
  srvx: /^server\//,
  '@opentelemetry/api': /^telemetry\//,
  pg: /^store\/postgres\//,
  'smtp-server': /^capture\//,
  'node-forge': /^capture\//,
  'ipaddr.js': /^net\//,
  'iconv-lite': /^mime\//,
  nodemailer: /^(?:mime|outbox)\//,
  handlebars: /^templates\//,
  tldts: /^domains\//,
  'csv-parse': /^audiences\//,
  standardwebhooks: /^webhooks\//,
  fflate: /^inbox\//,
  htmlparser2: /^mime\//,
  parse5: /^mime\//,
  'openid-client': /^oidc\//,
  'css-tree': /^(?:mime|client-support)\//,
  'playwright-core': /^pictures\//,
  pixelmatch: /^pictures\//,
  pngjs: /^pictures\//,
  vitest: /^vitest\//,
  '@jest/globals': /^jest\//,
  '@playwright/test': /^playwright\//,
  zod: /^(?:core|mime|reading|client-support|checks|compare|attachments|options|emails|sending|domains|audiences|broadcasts|templates|keys|accounts|inbox|rules|faults|webhooks|server|providers|mcp|report|cli)\//,
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

/** Where each file imports from within `src`, types included. */
const imports: ReadonlyMap<string, readonly string[]> = new Map(
  files.map((file) => [
    file,
    importsOf(file)
      .filter((target) => target.startsWith('.') && target.endsWith('.ts'))
      .map((target) => relative(root, join(root, dirname(file), target))),
  ]),
)

describe('imports', () => {
  it('are found at all', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(imports.get('server/deps.ts')).toContain('domains/domains.ts')
  })

  it('are in folders, except for the index', () => {
    expect(files.filter((file) => !folders.includes(folderOf(file)))).toEqual(['index.ts'])
  })

  it('point to their own folder or to an earlier one', () => {
    expect(breaches((file, target) => isAbove(target, file) || areStrangers(file, target))).toEqual([])
  })

  it.each(Object.entries(rooms))('point to their own room of %s or to an earlier one', (folder, order) => {
    const roomOf = (file: string): string => file.split('/').slice(1, -1).join('/')
    const inside = files.filter((file) => folderOf(file) === folder)
    expect(inside.filter((file) => !order.includes(roomOf(file)))).toEqual([])
    const isBreach = (file: string, target: string): boolean =>
      folderOf(file) === folder &&
      folderOf(target) === folder &&
      order.indexOf(roomOf(target)) > order.indexOf(roomOf(file))
    expect(breaches(isBreach)).toEqual([])
  })

  it('use only the exports of the store', () => {
    const isInside = (file: string, target: string): boolean =>
      folderOf(file) !== 'store' && folderOf(target) === 'store' && !storeNames.has(target)
    expect(breaches(isInside)).toEqual([])
  })

  it('have no cycles', () => {
    expect(circles()).toEqual([])
  })

  it('use packages only where they belong', () => {
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

  it('of the ui reach only parts of src that a browser can run', () => {
    const ui = fileURLToPath(new URL('../ui', import.meta.url))
    const pages = readdirSync(ui, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:vue|ts)$/.test(name) && name !== 'vite.config.ts')
      .map((name) => join(ui, name))
    const reached = new Set<string>()
    const open = pages.flatMap((page) => ownImports(page))
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (reached.has(file)) continue
      reached.add(file)
      open.push(...ownImports(file))
    }
    const shared = [...reached].filter((file) => file.startsWith(root))
    expect(shared.length).toBeGreaterThan(10)
    const breaches = shared.flatMap((file) =>
      valueImportsOf(file)
        .filter((target) => isBuiltin(target))
        .map((target) => `${relative(root, file)} → ${target}`),
    )
    expect(breaches).toEqual([])
  })
})

/** The files of this repository that a file imports more than types from. */
function ownImports(file: string): string[] {
  return valueImportsOf(file)
    .filter((target) => target.startsWith('.') && target.endsWith('.ts'))
    .map((target) => join(dirname(file), target))
}

/** What a file imports when it runs: everything but types. */
function valueImportsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(
    /(?:^|\n)\s*(?:import|export)\s(?!type\s)([^'";]*?)\sfrom\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/g,
  )
  return [...found]
    .filter(([, names]) => !/^\{(?:\s*type\s[^,}]*,?)+\s*\}$/.test(names ?? ''))
    .map(([, , from, loaded]) => from ?? loaded ?? '')
}

function breaches(isBreach: (file: string, target: string) => boolean): string[] {
  return [...imports].flatMap(([file, targets]) =>
    targets.filter((target) => isBreach(file, target)).map((target) => `${file} → ${target}`),
  )
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(0, file.indexOf('/')))
}

/** `index.ts` comes last. */
function isAbove(target: string, file: string): boolean {
  return file !== 'index.ts' && folders.indexOf(folderOf(target)) > folders.indexOf(folderOf(file))
}

function areStrangers(file: string, target: string): boolean {
  const [from, to] = [folderOf(file), folderOf(target)]
  return from !== to && strangers.some((group) => group.includes(from) && group.includes(to))
}

/** Every import cycle, each once, as `a → b → a`. */
function circles(): string[] {
  const found: string[] = []
  const finished = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start >= 0) {
      found.push([...path.slice(start), file].join(' → '))
    } else if (!finished.has(file)) {
      for (const target of imports.get(file) ?? []) visit(target, [...path, file])
      finished.add(file)
    }
  }
  for (const file of files) visit(file, [])
  return found
}
