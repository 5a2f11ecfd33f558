import { defineConfig } from 'vitest/config'

/** `npm run test:all`: the package as others install it, and the examples. Beside `npm test`, which is the quick half. */
export default defineConfig({
  test: {
    include: ['test-all/**/*.test.ts'],
    globalSetup: ['test-all/pack.ts'],
    // Most of the time goes into installs, which share two cores and one npm cache.
    testTimeout: 240_000,
    hookTimeout: 300_000,
    pool: 'forks',
    fileParallelism: false,
  },
})
