import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { type AdapterName, isOfPage, longSeries, projectOf } from './test/support/projects.ts'
import { onEachAdapter } from './test/support/suites.ts'

const files = (names: readonly string[]): string[] => names.map((name) => `test/${name}.test.ts`)

/** As in `vitest.config.ts`. */
const retry = process.env['CI'] === undefined ? 0 : 1

/** The tests of the package that `.ci/run` runs. */
const inCi = ['package', 'bundled', 'runtimes', 'dockerfile'].map((name) => `test-all/${name}.test.ts`)

const ofPackage = {
  globalSetup: ['test-all/pack.ts'],
  // Most of the time goes into installs, which share two cores and one npm cache.
  testTimeout: 480_000,
  hookTimeout: 600_000,
  retry,
  pool: 'forks' as const,
  fileParallelism: false,
}

/** As in `vitest.config.ts`. */
const makeKeys = 'test/support/setup-keys.ts'
const rsaKeys = 'test/support/rsa-keys.ts'

/** Runs a series whole. */
const long = {
  env: { LOCALPOST_LONG: '1' },
  testTimeout: 480_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 10_000 } },
  pool: 'forks' as const,
  maxWorkers: 2,
}

/** The suites of each adapter; those of the page, and those of the night, in projects of their own. */
function onAdapter(adapter: AdapterName, name: string): TestProjectInlineConfiguration[] {
  const database = adapter === 'PostgreSQL' ? ['test/support/setup-postgres.ts'] : []
  const project = (
    suffix: string,
    listed: readonly string[],
    ofPage: boolean,
  ): TestProjectInlineConfiguration => {
    const suites = listed.filter((suite) => isOfPage(suite) === ofPage)
    const test: TestProjectInlineConfiguration['test'] = {
      name: `${name}${suffix}`,
      include: files(suites),
      provide: { adapter },
      globalSetup: [
        makeKeys,
        'test/support/setup-memory.ts',
        ...database,
        ...(ofPage ? ['test/support/setup-build.ts', 'test/e2e/launch-browser.ts'] : []),
      ],
      setupFiles: [rsaKeys, ...(ofPage ? ['test/e2e/open-context.ts'] : [])],
      // As in `vitest.config.ts`: most of these files share processes.
      isolate: suites.some((suite) => projectOf(suite) === 'integration'),
      testTimeout: 180_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 20_000 } },
      retry,
      pool: 'forks',
      // As in `vitest.config.ts`.
      maxWorkers: 5,
      sequence: { groupOrder: 3 },
    }
    return { test }
  }
  return [
    project('', onEachAdapter.inCi, false),
    project(', the page', onEachAdapter.inCi, true),
    project(', at night', onEachAdapter.atNight, false),
    project(', the page at night', onEachAdapter.atNight, true),
  ]
}

/** `npm run test:all`: what `npm test` leaves out because it takes long. */
export default defineConfig({
  test: {
    // As in `vitest.config.ts`.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
    projects: [
      // The package as others install it, and the examples.
      { test: { name: 'package', include: inCi, ...ofPackage, sequence: { groupOrder: 0 } } },
      {
        test: {
          name: 'package, at night',
          include: ['test-all/**/*.test.ts'],
          exclude: inCi,
          ...ofPackage,
          sequence: { groupOrder: 4 },
        },
      },
      // The whole of the series of which `npm test` runs a sample.
      {
        test: {
          name: 'long series',
          include: files(longSeries.filter((name) => !isOfPage(name))),
          globalSetup: ['test/support/setup-build.ts', makeKeys],
          setupFiles: [rsaKeys],
          ...long,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'long series of the page',
          include: files(longSeries.filter(isOfPage)),
          globalSetup: ['test/support/setup-build.ts', makeKeys, 'test/e2e/launch-browser.ts'],
          setupFiles: [rsaKeys, 'test/e2e/open-context.ts'],
          ...long,
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
      // What `npm test` runs in memory.
      ...onAdapter('folder', 'in a folder'),
      ...onAdapter('PostgreSQL', 'on PostgreSQL'),
    ],
  },
})
