import { readdirSync } from 'node:fs'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { isEveryday, projectOf, type ProjectName } from './test/support/projects.ts'

type TestOptions = Omit<NonNullable<TestProjectInlineConfiguration['test']>, 'globalSetup' | 'setupFiles'> & {
  globalSetup?: string[]
  setupFiles?: string[]
}

const named = process.argv.slice(2)
const namesFiles = named.some((one) => /^(?:\.\/)?test\//.test(one))
const namesProjects = named.some((one) => /^--project\b/.test(one))

const names = readdirSync(new URL('test', import.meta.url), { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => name.slice(0, -'.test.ts'.length))
  .filter((name) => namesFiles || namesProjects || isEveryday(name))

/** The files of a project, and how they run. */
const project = (
  name: ProjectName,
  { globalSetup = [], setupFiles = [], ...options }: TestOptions,
): TestProjectInlineConfiguration => ({
  test: {
    name,
    include: names.filter((one) => projectOf(one) === name).map((one) => `test/${one}.test.ts`),
    globalSetup: ['test/support/setup-keys.ts', ...globalSetup],
    setupFiles: ['test/support/rsa-keys.ts', ...setupFiles],
    // A busy machine is slow; what never happens still fails.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // The machines of a CI are shared: what failed runs once more, and the list marks it with `retry x1`.
    retry: process.env['CI'] === undefined ? 0 : 1,
    ...options,
  },
})

// Some of these run the command and the page as they ship.
const build = 'test/support/setup-build.ts'
const inMemory = 'test/support/setup-memory.ts'
const postgres = 'test/support/install-postgres.ts'

/** The threads or processes load the sources once each, instead of once for every file. */
const shared: TestOptions = { isolate: false }

/** Each file has a process. */
const ofProcesses: TestOptions = { globalSetup: [build], pool: 'forks' }

/** The files share one browser. */
const ofPage: TestOptions = {
  ...shared,
  globalSetup: [build, inMemory, 'test/e2e/launch-browser.ts'],
  setupFiles: ['test/e2e/open-context.ts'],
  // Each step has its own bound; many of them may take long together on a busy machine.
  testTimeout: 180_000,
  pool: 'forks',
}

const projects = {
  unit: {
    ...shared,
    globalSetup: [inMemory],
    setupFiles: ['test/support/open-handles.ts'],
    pool: 'threads',
  },
  programs: { ...shared, globalSetup: [build], pool: 'forks' },
  integration: ofProcesses,
  page: ofPage,
  runners: ofProcesses,
  processes: { ...ofProcesses, globalSetup: [build, postgres] },
  postgres: { ...ofProcesses, globalSetup: [build, postgres] },
  night: {
    ...ofProcesses,
    globalSetup: [build, postgres],
    testTimeout: 240_000,
    hookTimeout: 300_000,
  },
  'page at night': { ...ofPage, testTimeout: 240_000 },
} satisfies Record<ProjectName, TestOptions>

/** Without names of files or projects, `npm test` runs what is of every day. */
export default defineConfig({
  test: {
    // More than there are processors, because the tests wait for half of their time. The files of a project follow each
    // other, and the next project begins as soon as a worker is free.
    maxWorkers: 5,
    // Projects and runs share what was compiled.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
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
    projects: Object.entries<TestOptions>(projects)
      .map(([name, options]) => project(name as ProjectName, options))
      .filter(({ test }) => test?.include?.length !== 0),
  },
})
