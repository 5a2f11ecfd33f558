import { findPostgres } from './postgres.ts'
import { installIfPossible } from './programs.ts'

/** Installs PostgreSQL before several test files look for it. Where that is not permitted, they say what to install. */
export default function setup(): void {
  installIfPossible('postgresql', findPostgres)
}
