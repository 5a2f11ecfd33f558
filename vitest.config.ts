import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import {
  browserFolders,
  integrationFiles,
  integrationFolders,
  onlyWhole,
  waitingFiles,
  waitingFolders,
} from './test/support/projects.ts'

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>

const inFolders = (names: readonly string[]): string[] => names.map((name) => `test/${name}/**/*.test.ts`)
const browser = inFolders(browserFolders)
const files = (names: readonly string[]): string[] => names.map((name) => `test/${name}.test.ts`)
const integration = [...inFolders(integrationFolders), ...files(integrationFiles)]
const waiting = [...inFolders(waitingFolders), ...files(waitingFiles)]

// A file that the command line names runs in any case.
const leftOut = process.argv.slice(2).some((one) => /^(?:\.\/)?test\//.test(one)) ? [] : files(onlyWhole)

const project = (name: string, options: TestOptions): TestProjectInlineConfiguration => ({
  test: {
    name,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine is slow; what never happens still fails.
    expect: { poll: { timeout: 10_000 } },
    // The machines of a CI are shared: what failed runs once more, and the list marks it with `retry x1`.
    retry: process.env['CI'] === undefined ? 0 : 1,
    ...options,
  },
})

// Some of these run the command and the page as they ship.
const globalSetup = ['test/support/setup-build.ts']
const inMemory = 'test/support/setup-memory.ts'

/** The groups run one after the other, so that files which share a worker follow each other. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    // It warns that it is not set up for production.
    onConsoleLog: (text) => !text.startsWith('oidc-provider WARNING'),
    // `npm run coverage`. Counts what runs in the processes of the tests: not the command, worker threads and dist.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html'],
      reportOnFailure: true,
      // Of a complete run; one point less, for tests that are skipped where a program or root is missing.
      thresholds: { statements: 92, branches: 87, functions: 92, lines: 93 },
    },
    projects: [
      // The threads load the sources once each, instead of once for every file.
      project('unit', {
        include: ['test/**/*.test.ts'],
        exclude: [...browser, ...integration, ...waiting, ...leftOut],
        globalSetup: [inMemory],
        setupFiles: ['test/support/open-handles.ts'],
        pool: 'threads',
        isolate: false,
        // Some of their time they wait.
        maxWorkers: 3,
        sequence: { groupOrder: 2 },
      }),
      project('integration', {
        include: integration,
        exclude: leftOut,
        globalSetup,
        pool: 'forks',
        // In one group with `waiting`, whose files leave the processor to these.
        maxWorkers: 4,
        sequence: { groupOrder: 1 },
      }),
      project('waiting', {
        include: waiting,
        exclude: leftOut,
        globalSetup: [...globalSetup, 'test/support/install-postgres.ts'],
        pool: 'forks',
        maxWorkers: 4,
        sequence: { groupOrder: 1 },
      }),
      project('browser', {
        include: browser,
        globalSetup: [...globalSetup, inMemory, 'test/e2e/launch-browser.ts'],
        setupFiles: ['test/e2e/open-context.ts'],
        // Each step has its own bound; many of them may take long together on a busy machine.
        testTimeout: 90_000,
        pool: 'forks',
        isolate: false,
        maxWorkers: 3,
        sequence: { groupOrder: 0 },
      }),
    ],
  },
})
