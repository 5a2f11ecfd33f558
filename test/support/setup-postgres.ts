import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the database in which instances keep their data; see `instance.ts`. */
    database?: string
  }
}

/** Starts PostgreSQL for all test files of a project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ max_connections: '200', max_locks_per_transaction: '1000' })
  project.provide('database', server.url)
  return () => server.remove()
}
