import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/setup-build.ts'],
    testTimeout: 20_000,
    // A busy machine takes its time; what never comes still fails.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 30_000,
    // Each file gets a process of its own, so an open handle or an unhandled error is seen in the file that made it.
    pool: 'forks',
    maxWorkers: 2,
  },
})
