/** The vitest project of each test file. `test/projects.test.ts` says which files must not be in `unit`. */

/** The projects that `npm test` runs. */
export const everyday = ['unit', 'integration', 'waiting', 'browser'] as const

/** The projects that `npm run check` and `.ci/run` run besides. */
export const further = ['page', 'runners', 'processes', 'postgres'] as const

export type ProjectName = (typeof everyday)[number] | (typeof further)[number]

/** Folders of tests of the page, in Chromium: `browser` and `page`. */
const browserFolders: readonly string[] = ['e2e']

/** The core of the tests of the page. */
const browserFiles: readonly string[] = [
  'e2e/hostile',
  'e2e/inbox',
  'e2e/mail',
  'e2e/no-mail',
  'e2e/page',
  'e2e/sign-in',
]

/** Tests of the package under other test runners, and of programs that a user writes. */
const runnersFolders: readonly string[] = ['docs', 'examples', 'vitest']
const runnersFiles: readonly string[] = [
  'accounts/workers',
  'testing/concurrent',
  'testing/dom',
  'testing/fake-timers',
  'testing/lines',
  'testing/mail-pictures',
  'testing/mail-snapshot',
  'testing/report',
  'testing/unclosed',
]

/** Tests of the command when it is killed, flooded, on a full disk, or behind real proxies; attacks on every parser. */
const processesFolders: readonly string[] = ['attacks', 'crash', 'flood', 'hostile']
const processesFiles: readonly string[] = [
  'server/real-proxies',
  'store/disk-full',
  'store/kill',
  'store/kill-points',
]

/** Tests that start PostgreSQL. */
const postgresFiles: readonly string[] = [
  'cli/copy',
  'cli/unfinished',
  'instance/database-refusals',
  'instance/kept-database',
  'instance/one-server',
  'instance/restored-database',
  'instance/several',
  'instance/shared-bulk',
  'search/search-limits',
  'search/store-search',
  'store/postgres-alone',
  'store/postgres-batches',
  'store/postgres-content',
  'store/postgres-contract',
  'store/postgres-cost',
  'store/postgres-doctor',
  'store/postgres-faults',
  'store/postgres-model',
  'store/postgres-opening',
  'store/postgres-pipeline',
  'store/postgres-shared',
]

/** Folders of tests that start and end processes, most of them the built package. */
const integrationFolders: readonly string[] = ['cli', 'testing']

/** Other tests that need a process of their own: they replace globals, measure what the process uses, or read `dist`. */
const integrationFiles: readonly string[] = [
  'attachments/content-type',
  'capture/listening',
  'capture/replies',
  'client-support/preview-cost',
  'client-support/renew',
  'compare/format-html',
  'compare/masks',
  'core/clock',
  'core/page-memory',
  'decisions/access',
  'decisions/access-framing',
  'emails/hostile-input',
  'emails/long-sends',
  'emails/render-size',
  'inbox/extract',
  'inbox/hostile',
  'inbox/pending',
  'instance/snapshot',
  'mime/headers/addresses',
  'mime/headers/encoded-words',
  'mime/headers/headers',
  'mime/html/snippet',
  'mime/structure-limits',
  'mime/transfer',
  'options/types',
  'patterns',
  'reading/idle',
  'reading/many-large',
  'checks/raw-facts',
  'checks/spam',
  'checks/thread',
  'reading/thread',
  'report/write',
  'resource-types',
  'rules/match',
  'server/hostile-input',
  'server/https',
  'server/openapi',
  'ui/build',
  'ui/inbox-list',
  'ui/live',
  'ui/mails-ahead',
  'ui/time',
  'ui/version-diff',
]

/**
 * Tests of processes and folders that wait most of their time: for a lock that is watched, for a client that pauses. More of
 * them run at once.
 */
const waitingFiles: readonly string[] = [
  'capture/patience',
  'server/early-answers',
  'store/copied-lock',
  'store/lock',
  'store/lock-rot',
  'store/lost-lock',
]

/** Tests that run a sample of a long series in `npm test`, and the whole of it in `npm run test:all`; see `long.ts`. */
export const longSeries: readonly string[] = [
  'accounts/property',
  'accounts/workers',
  'crash/copied-folder',
  'crash/full-disk',
  'crash/kill',
  'crash/kill-bulk',
  'crash/kill-copies',
  'crash/kill-import',
  'crash/lost-lock',
  'crash/namespaces',
  'crash/power-cuts',
  'crash/several',
  'e2e/accessible',
  'e2e/disagreeing-html',
  'e2e/hostile-corpus',
  'e2e/picture',
  'e2e/rooms-look',
  'e2e/views-themes',
  'search/store-search',
  'store/cleared',
  'store/cuts',
  'store/faults',
  'store/kill-points',
  'store/large-space',
  'store/lock-rot',
  'store/missing-files',
  'store/postgres-model',
  'store/power',
  'store/rot',
  'store/rot-kinds',
  'store/rot-start-index',
  'store/start-index-power',
  'store/unfinished',
  'testing/concurrent',
  'testing/unclosed',
]

/** Long series that `npm test` skips unless its command line names their files: faster tests find nearly the same. */
export const onlyWhole: readonly string[] = [
  'crash/copied-folder',
  'crash/full-disk',
  'crash/lost-lock',
  'crash/namespaces',
  'crash/power-cuts',
  'store/large-space',
  'store/missing-files',
  'store/rot-start-index',
  'store/start-index-power',
  'store/unfinished',
  'testing/unclosed',
]

/** Every adapter of the store; `adapters.ts` opens them, and `suites.ts` lists the suites that run on each. */
export const adapterNames = ['memory', 'folder', 'PostgreSQL'] as const
export type AdapterName = (typeof adapterNames)[number]

/** The first entry that names a file or its folder determines its project. All other files are in `unit`. */
export const entries: readonly (readonly [project: ProjectName, names: readonly string[]])[] = [
  ['browser', browserFiles],
  ['page', browserFolders],
  ['postgres', postgresFiles],
  ['processes', [...processesFolders, ...processesFiles]],
  ['runners', [...runnersFolders, ...runnersFiles]],
  ['waiting', waitingFiles],
  ['integration', [...integrationFolders, ...integrationFiles]],
]

/** @param name  Path below `test`, without `.test.ts`. */
export function projectOf(name: string): ProjectName {
  const [folder = ''] = name.split('/')
  const found = entries.find(([, names]) => names.includes(name) || names.includes(folder))
  return found?.[0] ?? 'unit'
}
