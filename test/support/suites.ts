/**
 * The suites that run on every adapter of the store: in memory with all other tests, and in a folder and in PostgreSQL with
 * `npm run test:all`. Each path is below `test`, without `.test.ts`. The contract of the store itself is in `contracts/adapter.ts`.
 */
export const onEachAdapter: Readonly<Record<'inCi' | 'atNight', readonly string[]>> = {
  /** `.ci/run` runs these in a folder and in PostgreSQL, too. */
  inCi: [
    'accounts/accounts',
    'accounts/bound',
    'accounts/isolation',
    'accounts/property',
    'accounts/removal',
    'accounts/smtp',
    'broadcasts/broadcasts',
    'e2e/inbox',
    'e2e/list',
    'e2e/page',
    'emails/receive',
    'emails/retention',
    'inbox/bulk',
    'inbox/folded',
    'inbox/import-export',
    'inbox/inbox',
    'inbox/tag-colors',
    'inbox/waits',
    'outbox/outbox',
    'rules/deliveries',
    'search/message-search',
    'search/unread-mail',
    'server/events',
    'server/inbox',
    'server/v1',
    'server/webhooks',
    'templates/templates',
    'webhooks/announcing-store',
    'webhooks/forbidden',
  ],
  /** The nightly run adds these. */
  atNight: [
    'broadcasts/lanes',
    'broadcasts/sent',
    'broadcasts/slices',
    'decisions/access',
    'decisions/events',
    'decisions/events-hits',
    'decisions/lists',
    'decisions/sending',
    'decisions/sending-repeat',
    'e2e/accounts',
    'e2e/broadcasts',
    'e2e/mail',
    'e2e/rooms',
    'e2e/rooms-webhooks',
    'e2e/tag-colors',
    'inbox/bulk-runs',
    'inbox/clipped',
    'inbox/codes',
    'inbox/compare',
    'inbox/large-sent',
    'inbox/pending',
    'inbox/preview',
    'inbox/query-members',
    'rules/rules',
    'server/dev',
    'server/failed-keys',
    'server/fault-delay',
    'server/lost-access',
    'server/nested-mail',
    'server/query-numbers',
    'server/scopes',
    'server/sign-in',
    'server/smtp-sessions',
    'tracking/hits',
    'tracking/lasting',
    'webhooks/attempts',
    'webhooks/instance',
    'webhooks/store-contract',
    'webhooks/webhooks',
  ],
}

/**
 * Folders in which suites that open data run on all adapters, unless `onOneAdapter` lists them. Suites of the page are
 * chosen: most of them are about how it shows a mail or moves the focus, for which each adapter has the same answers.
 */
export const foldersOnEachAdapter: readonly string[] = ['broadcasts', 'inbox', 'server', 'webhooks']

const ofFolder = 'it damages or fills a folder, or replaces its files'
const ofHttp = 'it is about HTTP, and about requests that read and write no data'

/** The suites in these folders that run on one adapter only, with the reason. */
export const onOneAdapter: Readonly<Record<string, string>> = {
  'inbox/damaged': ofFolder,
  'server/answer-headers': ofHttp,
  'server/body-limits': ofHttp,
  'server/body-room': ofHttp,
  'server/client-error': ofHttp,
  'server/disk-low': ofFolder,
  'server/early-answers': ofHttp,
  'server/guard': ofHttp,
  'server/guard-keys': ofHttp,
  'server/hostile-input': ofHttp,
  'server/https': ofHttp,
  'server/limits': ofHttp,
  'server/listener': ofHttp,
  'server/mounted': ofHttp,
  'server/openapi': ofHttp,
  'server/page-requests': ofHttp,
  'server/paths': ofHttp,
  'server/proxies': ofHttp,
  'server/real-proxies': ofHttp,
  'server/refusals': ofHttp,
  'server/refusing': ofFolder,
  'server/request-targets': ofHttp,
  'server/terminal': ofHttp,
  'server/trust-proxy': ofHttp,
  'server/unknown-members': ofHttp,
  'server/unknown-outcome': ofFolder,
}
