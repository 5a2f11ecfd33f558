/** The vitest project of each test file. `test/projects.test.ts` says which files must not be in `unit`. */

/** Folders of tests of the page, in Chromium. */
export const browserFolders: readonly string[] = ['e2e']

/** Folders of tests that start and end processes, most of them the built package. */
export const integrationFolders: readonly string[] = [
  'cli',
  'docs',
  'examples',
  'flood',
  'hostile',
  'testing',
  'vitest',
]

/** Other tests that need a process of their own: they replace globals, measure what the process uses, or read `dist`. */
export const integrationFiles: readonly string[] = [
  'accounts/workers',
  'attachments/content-type',
  'capture/listening',
  'capture/replies',
  'client-support/renew',
  'compare/format-html',
  'compare/masks',
  'core/clock',
  'core/page-memory',
  'decisions/access',
  'emails/hostile-input',
  'emails/render-size',
  'inbox/extract',
  'inbox/pending',
  'instance/snapshot',
  'mime/headers/addresses',
  'mime/headers/encoded-words',
  'mime/headers/headers',
  'mime/html/snippet',
  'mime/structure-limits',
  'mime/transfer',
  'options/types',
  'reading/idle',
  'reading/many-large',
  'checks/spam',
  'checks/thread',
  'reading/thread',
  'report/write',
  'resource-types',
  'rules/match',
  'server/hostile-input',
  'server/openapi',
  'server/real-proxies',
  'store/disk-full',
  'store/kill',
  'store/kill-points',
  'ui/build',
  'ui/inbox-list',
]

/**
 * Tests of processes and folders that wait most of their time: for a lock that is watched, for a client that pauses. More of
 * them run at once.
 */
export const waitingFolders: readonly string[] = ['crash']
export const waitingFiles: readonly string[] = [
  'capture/patience',
  'instance/several',
  'instance/database-refusals',
  'instance/one-server',
  'instance/restored-database',
  'instance/shared-bulk',
  'search/store-search',
  'server/early-answers',
  'store/copied-lock',
  'store/lock',
  'store/lock-rot',
  'store/lost-lock',
  'store/postgres-contract',
  'store/postgres-doctor',
  'store/postgres-faults',
  'store/postgres-model',
  'store/postgres-shared',
]

/** Tests that run a sample of a long series in `npm test`, and the whole of it in `npm run test:all`; see `long.ts`. */
export const longSeries: readonly string[] = [
  'accounts/property',
  'accounts/workers',
  'crash/copied-folder',
  'crash/full-disk',
  'crash/kill',
  'crash/kill-bulk',
  'crash/lost-lock',
  'crash/namespaces',
  'crash/power-cuts',
  'crash/several',
  'e2e/accessible',
  'e2e/hostile-corpus',
  'e2e/rooms-look',
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
  'testing/concurrent',
  'testing/unclosed',
]

/** Long series of which `npm test` runs nothing, unless its command line names files: the others tell nearly as much sooner. */
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
  'testing/unclosed',
]

/** Tests that `npm run test:all` runs a second time, on instances whose data is in PostgreSQL. */
export const onPostgres: readonly string[] = [
  'accounts/accounts',
  'accounts/bound',
  'accounts/isolation',
  'accounts/property',
  'accounts/removal',
  'accounts/smtp',
  'broadcasts/broadcasts',
  'emails/receive',
  'inbox/folded',
  'inbox/import-export',
  'inbox/inbox',
  'inbox/tag-colors',
  'inbox/waits',
  'outbox/outbox',
  'rules/deliveries',
  'search/indexer',
  'search/message-search',
  'templates/templates',
  'webhooks/forbidden',
]

/** @param name  Path below `test`, without `.test.ts`. */
export function projectOf(name: string): 'unit' | 'integration' | 'waiting' | 'browser' {
  const [folder = ''] = name.split('/')
  if (browserFolders.includes(folder)) return 'browser'
  if (waitingFolders.includes(folder) || waitingFiles.includes(name)) return 'waiting'
  return integrationFolders.includes(folder) || integrationFiles.includes(name) ? 'integration' : 'unit'
}
