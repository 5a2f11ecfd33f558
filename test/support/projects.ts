/** Which project of vitest a test file is part of. `test/projects.test.ts` says what has to stay out of `unit`. */

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
]

/**
 * Tests of processes and folders that wait most of their time: for a lock that is watched, for a client that pauses. More of
 * them run at once.
 */
export const waitingFolders: readonly string[] = ['crash']
export const waitingFiles: readonly string[] = [
  'capture/patience',
  'server/early-answers',
  'store/copied-lock',
  'store/lock',
  'store/lock-rot',
  'store/lost-lock',
]

/** Tests that run a sample of a long series in `npm test`, and the whole of it in `npm run test:all`; see `long.ts`. */
export const longSeries: readonly string[] = [
  'crash/copied-folder',
  'crash/full-disk',
  'crash/kill',
  'crash/kill-bulk',
  'crash/lost-lock',
  'crash/namespaces',
  'store/cuts',
  'store/faults',
  'store/kill-points',
  'store/large-space',
  'store/lock-rot',
  'store/missing-files',
  'store/power',
  'store/rot',
  'store/rot-kinds',
  'store/start-index',
]

/** @param name  Path below `test`, without `.test.ts`. */
export function projectOf(name: string): 'unit' | 'integration' | 'waiting' | 'browser' {
  const [folder = ''] = name.split('/')
  if (browserFolders.includes(folder)) return 'browser'
  if (waitingFolders.includes(folder) || waitingFiles.includes(name)) return 'waiting'
  return integrationFolders.includes(folder) || integrationFiles.includes(name) ? 'integration' : 'unit'
}
