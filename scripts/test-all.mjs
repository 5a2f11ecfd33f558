/**
 * `npm run test:all -- <arguments of vitest>`: the package as others install it, in temporary projects, and the
 * examples. It needs the registry (or npm's cache) and takes minutes.
 */
process.argv.push('--config', 'vitest.all.config.ts')
await import('./test.mjs')
