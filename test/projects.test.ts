import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'
import {
  entries,
  everydayLists,
  isEveryday,
  longSeries,
  nightFiles,
  slowFiles,
  projectNames,
  projectOf,
} from './support/projects.ts'
import { packages } from './support/programs.ts'
import { foldersOnEachAdapter, onEachAdapter, onOneAdapter } from './support/suites.ts'

/** Calls that a file cannot make in a thread that it shares with other files. */
const needsProcess: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['runs other programs', /from 'node:child_process'/],
  ['runs the built package', /['"`/]dist\/(?:cli|index|ui|openapi)/],
  ['measures the process', /process\.(?:cpuUsage|memoryUsage|resourceUsage)\(/],
  ['changes the process', /process\.(?:chdir|umask|removeAllListeners|on|once)\(/],
  [
    'replaces globals',
    /\bglobalThis\.\w+ = |\.prototype\.\w+ = |\bvi\.(?:useFakeTimers|stub\w+|mock|spyOn)\(|\bsyncBuiltinESMExports\(/,
  ],
]

const names = readdirSync(import.meta.dirname, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(import.meta.dirname, join(entry.parentPath, entry.name)))
  .sort()

// These run before each test file.
const setupFiles = ['support/open-handles.ts', 'support/rsa-keys.ts', 'e2e/open-context.ts']

const textOf = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

/** The texts of a test file and of the helpers that it imports, directly or not. */
const textsOf = (name: string): string[] => Array.from(filesOf(name).values())

/** The same by the names of the files. */
function filesOf(name: string, seen = new Map<string, string>()): Map<string, string> {
  if (!seen.has(name)) {
    const text = textOf(name)
    seen.set(name, text)
    for (const [, path = ''] of text.matchAll(/^(?:import|export) [^;]*? from '(\.[^']+\.ts)'/gm)) {
      const imported = relative(import.meta.dirname, resolve(import.meta.dirname, dirname(name), path))
      if (!imported.startsWith('..')) filesOf(imported, seen)
    }
  }
  return seen
}

const tests = names
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => name.slice(0, -'.test.ts'.length))
const testsOf = (project: string): string[] => tests.filter((name) => projectOf(name) === project)
const unit = testsOf('unit')

it('a test that needs a process of its own is not in the project `unit`', () => {
  const found = unit
    // It names what it looks for.
    .filter((name) => name !== 'projects')
    .flatMap((name) => {
      const text = textsOf(`${name}.test.ts`).join('\n')
      return needsProcess.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${name} ${what}`)
    })
  expect(unit.length).toBeGreaterThan(200)
  expect(found, 'list these in test/support/projects.ts').toEqual([])
})

it('a test that shares a process with others changes nothing of it', () => {
  const changes = needsProcess.filter(([what]) => /^(?:changes|replaces)/.test(what))
  const found = testsOf('programs').flatMap((name) => {
    const text = textsOf(`${name}.test.ts`).join('\n')
    return changes.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${name} ${what}`)
  })
  expect(found, 'list these in test/support/projects.ts').toEqual([])
})

it('a test of which others run a sample runs in full in `npm run test:all`', () => {
  const sampled = tests
    .filter((name) => name !== 'projects')
    .filter((name) =>
      // The colors of pages on a phone, which a helper there inspects, are no series of their own.
      (name.startsWith('e2e/') ? [textOf(`${name}.test.ts`)] : textsOf(`${name}.test.ts`)).some((text) =>
        /^import .*'(?:\.\.|\.)\/(?:support\/)?long\.ts'/m.test(text),
      ),
    )
  expect(sampled.sort()).toEqual([...longSeries].sort())
  expect(nightFiles.filter((name) => !longSeries.includes(name))).toEqual(slowFiles)
})

it('the lists of the projects name existing files', () => {
  const listed = [...entries.flatMap(([, list]) => list), ...longSeries, ...everydayLists]
  expect(
    listed.filter((name) => !names.some((one) => one === `${name}.test.ts` || one.startsWith(`${name}/`))),
  ).toEqual([])
  expect([...new Set(tests.map(projectOf))].sort()).toEqual([...projectNames].sort())
})

it('`npm test` starts no PostgreSQL and no other test runner, and measures neither time nor memory', () => {
  const found = tests
    .filter((name) => name !== 'projects' && isEveryday(name))
    .filter((name) =>
      /\b(?:startPostgres|runVitest|runVitestWith)\(|process\.(?:cpuUsage|memoryUsage)\(|\bexpectLinearCost/.test(
        textOf(`${name}.test.ts`),
      ),
    )
  expect(found, 'list these in test/support/projects.ts').toEqual([])
})

it('`npm test` has a part of each kind', () => {
  for (const name of [
    'accounts/accounts',
    'capture/submissions',
    'cli/start',
    'e2e/inbox',
    'inbox/waits',
    'server/v1',
  ])
    expect(isEveryday(name), name).toBe(true)
})

const suites = [...onEachAdapter.inCi, ...onEachAdapter.atNight]
const opensData = (name: string): boolean => filesOf(name).has('support/adapters.ts')

it('suites that open data run on every adapter of the store, or say why not', () => {
  const inFolders = names
    .filter((name) => name.endsWith('.test.ts') && foldersOnEachAdapter.includes(dirname(name)))
    .filter(opensData)
    .map((name) => name.slice(0, -'.test.ts'.length))
  const listed = [...suites, ...Object.keys(onOneAdapter)].filter((name) =>
    foldersOnEachAdapter.includes(dirname(name)),
  )
  expect(listed.sort(), 'list these in test/support/suites.ts').toEqual(inFolders.sort())
  expect(suites.filter((name) => !opensData(`${name}.test.ts`))).toEqual([])
  expect(new Set(suites).size).toBe(suites.length)
})

it.each([
  ['the API', 'server/v1'],
  ['live events', 'server/events'],
  ['the inbox', 'inbox/inbox'],
  ['waits', 'inbox/waits'],
  ['bulk changes', 'inbox/bulk'],
  ['retention', 'emails/retention'],
  ['webhooks', 'webhooks/announcing'],
  ['broadcasts', 'broadcasts/broadcasts'],
  ['the page', 'e2e/inbox'],
])('`.ci/run` has %s on every adapter', (_, name) => {
  expect(onEachAdapter.inCi).toContain(name)
})

it('a suite that runs on every adapter opens no data elsewhere, unless a test says why it does not run on one', () => {
  const elsewhere =
    /\b(?:createLocalpost|openLocalpost|openMemoryStore|openLogStore|openPostgresStore)\(|\b(?:start|open)\w*\(\{ dir\b/
  const found = suites.filter((name) =>
    [...filesOf(`${name}.test.ts`)].some(
      ([file, text]) =>
        !file.startsWith('support/') && elsewhere.test(text) && !/\b(?:notOn|placeOfData)\(/.test(text),
    ),
  )
  expect(found).toEqual([])
})

it('a helper registers no hook when it is loaded: files in the same worker load it once', () => {
  const found = names
    .filter((name) => !name.endsWith('.test.ts') && !setupFiles.includes(name))
    .filter((name) => /^(?:before|after|around)(?:Each|All)\(/m.test(textOf(name)))
  expect(found).toEqual([])
})

it('a program that a test runs is listed in test/support/programs.ts, or is part of each POSIX system', () => {
  const posix = ['cp', 'mkfifo', 'sh', 'umount']
  const run = /\b(?:spawn|spawnSync|execFile|execFileSync)\(\s*'([\w.-]+)'/g
  const found = names.flatMap((name) =>
    [...textOf(name).matchAll(run)].map(([, program = '']) => ({ name, program })),
  )
  expect(found.length).toBeGreaterThan(5)
  const listed = [...posix, ...Object.keys(packages), 'apt-get']
  expect(found.filter(({ program }) => !listed.includes(program))).toEqual([])
})
