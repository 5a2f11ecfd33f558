import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.ts'

/** Starts PostgreSQL for all test files of a project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ max_connections: '200', max_locks_per_transaction: '1000' })
  project.provide('database', server.url)
  return () => server.remove()
}
