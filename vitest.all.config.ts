import { defineConfig } from 'vitest/config'
import { longSeries } from './test/support/projects.ts'

/** `npm run test:all`: what `npm test` leaves out because it takes long. */
export default defineConfig({
  test: {
    projects: [
      // The package as others install it, and the examples.
      {
        test: {
          name: 'package',
          include: ['test-all/**/*.test.ts'],
          globalSetup: ['test-all/pack.ts'],
          // Most of the time goes into installs, which share two cores and one npm cache.
          testTimeout: 240_000,
          hookTimeout: 300_000,
          pool: 'forks',
          fileParallelism: false,
          sequence: { groupOrder: 0 },
        },
      },
      // The whole of the series of which `npm test` runs a sample.
      {
        test: {
          name: 'long series',
          include: longSeries.map((name) => `test/${name}.test.ts`),
          globalSetup: ['test/support/setup-build.ts'],
          env: { LOCALPOST_LONG: '1' },
          testTimeout: 240_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 10_000 } },
          pool: 'forks',
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
