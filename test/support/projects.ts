/** How each test file runs, and when. `test/projects.test.ts` says which files must not be in `unit`. */

/** The vitest projects. `.ci/run` runs all but those of the night. */
export const projectNames = [
  'unit',
  'programs',
  'integration',
  'waiting',
  'page',
  'runners',
  'processes',
  'postgres',
  'night',
  'page at night',
] as const
export type ProjectName = (typeof projectNames)[number]

/** Whether a file tests the page, in Chromium. @param name  Path below `test`, without `.test.ts`. */
export const isOfPage = (name: string): boolean => name.startsWith('e2e/')

/** Folders of tests of the page. */
const pageFolders: readonly string[] = ['e2e']

/** Tests of the package under other test runners, and of programs that a user writes. */
const runnersFolders: readonly string[] = ['docs', 'examples', 'vitest']
const runnersFiles: readonly string[] = [
  'accounts/workers',
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
const processesFiles: readonly string[] = ['server/real-proxies', 'store/disk-full', 'store/kill']

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

/**
 * Tests that start programs or read `dist`, and change nothing of their own process. They share processes, so that the
 * sources are loaded once for several files.
 */
const programsFolders: readonly string[] = ['cli', 'testing']
const programsFiles: readonly string[] = [
  'attachments/content-type',
  'checks/spam',
  'checks/thread',
  'client-support/renew',
  'core/page-memory',
  'core/replaced-globals',
  'decisions/access-framing',
  'emails/long-sends',
  'options/types',
  'patterns',
  'reading/thread',
  'report/action',
  'resource-types',
  'server/https',
  'server/openapi',
  'telemetry/package',
  'ui/build',
  'ui/version-diff',
]

/** Tests that need a process of their own: they replace globals, or measure what the process uses. */
const integrationFiles: readonly string[] = [
  'capture/listening',
  'capture/replies',
  'checks/raw-facts',
  'cli/export-files',
  'cli/quiet-memory',
  'client-support/preview-cost',
  'compare/format-html',
  'compare/masks',
  'core/clock',
  'decisions/access',
  'emails/hostile-input',
  'emails/render-size',
  'inbox/extract',
  'inbox/pending',
  'inbox/hostile',
  'mime/hostile',
  'instance/snapshot',
  'mime/headers/addresses',
  'mime/headers/encoded-words',
  'mime/headers/headers',
  'mime/html/snippet',
  'mime/structure-limits',
  'mime/transfer',
  'outbox/transport',
  'reading/idle',
  'reading/many-large',
  'report/write',
  'rules/match',
  'server/hostile-input',
  'telemetry/spans',
  'testing/account',
  'testing/cypress',
  'testing/embed',
  'ui/conversation-list',
  'ui/delete-all',
  'ui/inbox-list',
  'ui/live',
  'ui/undo',
  'ui/mails-ahead',
  'ui/missing',
  'ui/time',
]

/**
 * Tests of processes and folders that wait most of their time: for a lock that is watched, for a client that pauses. More of
 * them run at once.
 */
const waitingFiles: readonly string[] = [
  'capture/patience',
  'instance/wrong-ports',
  'server/early-answers',
  'store/copied-lock',
  'store/lock',
  'store/lock-rot',
  'store/lost-lock',
]

/** Tests that run a sample of a long series, and the whole of it in `npm run test:all`; see `long.ts`. */
export const longSeries: readonly string[] = [
  'accounts/property',
  'accounts/workers',
  'crash/copied-folder',
  'crash/full-disk',
  'crash/kill',
  'crash/kill-bulk',
  'crash/kill-copies',
  'crash/kill-import',
  'crash/kill-sends',
  'crash/lost-lock',
  'crash/namespaces',
  'crash/power-cuts',
  'crash/several',
  'docs/frameworks',
  'e2e/accessible',
  'e2e/disagreeing-html',
  'e2e/hostile-corpus',
  'e2e/picture',
  'e2e/rooms-look',
  'e2e/views-themes',
  'providers/bad-input',
  'search/store-search',
  'store/cleared',
  'store/cuts',
  'store/damaged-kinds',
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
  'store/unknown-outcome',
  'testing/concurrent',
  'testing/unclosed',
  'webhooks/instance',
]

/** Tests that take long. They run at night, so that `.ci/run` ends in time. */
export const slowFiles: readonly string[] = [
  'attacks/parsers',
  'checks/spam',
  'checks/thread',
  'cli/copy',
  'cli/unfinished',
  'compare/masks',
  'crash/kill-followups',
  'e2e/accounts',
  'e2e/ahead',
  'e2e/broadcasts',
  'e2e/compare',
  'e2e/connections',
  'e2e/daily-tasks',
  'e2e/every-view',
  'e2e/focus',
  'e2e/hostile',
  'e2e/inbox-hostile',
  'e2e/list-filters',
  'e2e/list-layout',
  'e2e/look',
  'e2e/page-requests',
  'e2e/palette',
  'e2e/pdf',
  'e2e/reading',
  'e2e/release',
  'e2e/report',
  'e2e/rows',
  'e2e/search-count',
  'e2e/source',
  'e2e/tag-colors',
  'e2e/views',
  'e2e/views-hostile',
  'emails/large-sends',
  'emails/render-size',
  'examples/lifecycle',
  'flood/backlog',
  'flood/http',
  'inbox/bulk-runs',
  'instance/one-server',
  'instance/shared-bulk',
  'mime/structure-limits',
  'patterns',
  'search/head-search',
  'search/search-limits',
  'server/terminal',
  'store/kill',
  'store/postgres-doctor',
  'store/postgres-faults',
  'testing/embed',
  'testing/fake-timers',
  'testing/mail-pictures',
  'testing/mail-snapshot',
  'testing/report',
  'walk',
]

/** The projects `night` and `page at night`: long series, of which faster tests find nearly the same, and slow tests. */
export const nightFiles: readonly string[] = [
  'accounts/workers',
  'crash/copied-folder',
  'crash/full-disk',
  'crash/kill-bulk',
  'crash/kill-copies',
  'crash/kill-import',
  'crash/kill-sends',
  'crash/lost-lock',
  'crash/namespaces',
  'crash/power-cuts',
  'crash/several',
  'docs/frameworks',
  'e2e/disagreeing-html',
  'e2e/hostile-corpus',
  'e2e/picture',
  'e2e/rooms-look',
  'e2e/views-themes',
  'store/kill-points',
  'store/large-space',
  'store/missing-files',
  'store/postgres-model',
  'store/rot-start-index',
  'store/start-index-power',
  'store/unfinished',
  'testing/concurrent',
  'testing/unclosed',
  ...slowFiles,
]

/** Every adapter of the store; `adapters.ts` opens them, and `suites.ts` lists the suites that run on each. */
export const adapterNames = ['memory', 'folder', 'PostgreSQL'] as const
export type AdapterName = (typeof adapterNames)[number]

/** The first entry that names a file determines its project, then the first that names its folder. All other files are in `unit`. */
export const entries: readonly (readonly [project: ProjectName, names: readonly string[]])[] = [
  ['page at night', nightFiles.filter(isOfPage)],
  ['night', nightFiles],
  ['integration', integrationFiles],
  ['waiting', waitingFiles],
  ['postgres', postgresFiles],
  ['runners', runnersFiles],
  ['processes', processesFiles],
  ['programs', programsFiles],
  ['page', pageFolders],
  ['runners', runnersFolders],
  ['processes', processesFolders],
  ['programs', programsFolders],
]

/** @param name  Path below `test`, without `.test.ts`. */
export function projectOf(name: string): ProjectName {
  const [folder = ''] = name.split('/')
  const found = entries.find(([, names]) => names.includes(name) || names.includes(folder))
  return found?.[0] ?? 'unit'
}

/** The projects of which `npm test` runs all files but those of `further`. */
const everydayProjects: readonly ProjectName[] = ['unit', 'programs', 'integration']

/** Folders and files that `npm test` leaves out: what they test seldom breaks in daily work, or they take long. */
const further: readonly string[] = [
  // Losses, damage and large spaces: what the store survives.
  'store',
  'inbox/damaged',
  'search/damaged-rows',
  'search/derived-faults',
  'search/indexer-faults',
  'search/resumed-index',
  'server/refusing',
  'server/unknown-outcome',
  // Attacks and odd mails, in long tables.
  'checks/hostile-html',
  'checks/style-sheets',
  'corpus',
  'decisions/access-paths',
  'emails/hostile-input',
  'emails/variable-names',
  'inbox/hostile',
  'mime/html/without-connections',
  'mime/part-headers',
  'oidc/hostile',
  'patterns',
  'server/hostile-input',
  'server/request-targets',
  'server/terminal',
  'server/proxies',
  'server/trust-proxy',
  'templates/hostile',
  // Long input: bodies, heads and answers of megabytes, thousands of mails.
  'accounts/property',
  'accounts/removal',
  'audiences/import',
  'audiences/import-turns',
  'broadcasts/sent',
  'broadcasts/slices',
  'core/long-json',
  'emails/large-sends',
  'emails/long-headers',
  'emails/long-sends',
  'inbox/bulk-runs',
  'inbox/folded',
  'inbox/large-sent',
  'inbox/partial-count',
  'inbox/pending',
  'mime/compose/body-encoding',
  'mime/hostile',
  'outbox/held-up',
  'reading',
  'search/dropped-rows',
  'search/fact-search',
  'search/head-search',
  'server/answer-room',
  'server/body-limits',
  'server/body-pauses',
  'server/body-room',
  'server/left-readings',
  'server/left-requests',
  'server/limits',
  'server/lost-access',
  'webhooks/instance',
  'webhooks/kept-deliveries',
  // Every route, or every spelling of a text, in turn.
  'accounts/isolation',
  'core/fold-text',
  'options/table',
  'search/equal-texts',
  'server/answer-headers',
  'server/query-numbers',
  'server/unknown-members',
  'server/client-error',
  // Further requests of the providers, and every wrong value in each place: the sends and lists of each stay.
  'providers/bad-input',
  'providers/engines',
  'providers/mailgun/events',
  'providers/mailgun/manage',
  'providers/mailgun/members',
  'providers/mailgun/templates',
  'providers/mailhog',
  'providers/mailpit/access',
  'providers/mailpit/changes',
  'providers/mailpit/events',
  'providers/postmark/events',
  'providers/postmark/templates',
  'providers/resend-pages',
  'providers/resend-scheduled',
  'providers/resend-templates',
  'providers/resend-webhooks',
  'providers/sendgrid/suppressions',
  'providers/sendgrid/templates',
  'providers/sendgrid/webhooks',
  'providers/ses-configuration-sets',
  // What ends or is answered after a while: connections, look-ups, accounts that nothing uses, deliveries.
  'accounts/bound',
  'capture/listening',
  'capture/secure-port',
  'decisions/sending-fetch',
  'domains/verification',
  'server/metrics',
  // They measure CPU time or memory.
  'checks/raw-facts',
  'client-support',
  'compare/format-html',
  'compare/masks',
  'core/page-memory',
  'emails/render-size',
  'inbox/extract',
  'instance/snapshot',
  'mime/headers/addresses',
  'mime/headers/encoded-words',
  'mime/headers/headers',
  'mime/html/snippet',
  'mime/structure-limits',
  'mime/transfer',
  'report/write',
  'rules/match',
  // Passwords whose hashes take long on purpose.
  'decisions/access-users',
  'instance/wrong-passwords',
  'providers/mailpit/basic-auth',
  'server/sign-in',
  'users',
  // Other programs, and what they read: spam filters, compilers, collectors, keys, the build, the commands beside the server.
  'attachments/content-type',
  'checks/spam',
  'checks/thread',
  'cli',
  'core/replaced-globals',
  'decisions/access-framing',
  'decisions/sending-attachments',
  'instance/own-certificate',
  'machine',
  'mcp',
  'mime/dkim',
  'options/types',
  'outbox/release-extensions',
  'public-api',
  'report/action',
  'server/https',
  'server/openapi',
  'testing/account',
  'testing/closing',
  'testing/cypress',
  'testing/embed',
  'testing/playwright',
  'testing/seed',
  'testing/vocabulary',
  'telemetry/otlp',
  'telemetry/package',
  'telemetry/spans',
  'ui/build',
]

/** Files that `npm test` runs nevertheless: the start of the command, the core of the page, the contract of the store. */
const everydayFiles: readonly string[] = [
  'cli/arguments',
  'cli/banner',
  'cli/secrets',
  'cli/settings',
  'cli/start',
  'e2e/inbox',
  'store/contract',
  'store/copy',
  'store/folder',
  'store/follow',
  'store/pending',
  'store/refused-starts',
  'store/snapshot-files',
]

/** The lists of what `npm test` runs, for the test of their names. */
export const everydayLists: readonly string[] = [...further, ...everydayFiles]

/** Whether `npm test` runs a file if its command line names no files and no projects. */
export function isEveryday(name: string): boolean {
  if (everydayFiles.includes(name)) return true
  const isFurther = further.some((one) => name === one || name.startsWith(`${one}/`))
  return everydayProjects.includes(projectOf(name)) && !isFurther
}
