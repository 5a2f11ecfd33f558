import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a program, if it is installed. */
export function findOnPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** A program that tests run and npm does not install. */
export interface Program {
  /** Its Debian package. */
  name: string
  /** What the tests that need it are about. */
  tests: string
  find(): string | undefined
  /** An alternative, as the end of a sentence. */
  otherwise?: string
}

/**
 * Makes sure that a program is there. Installs it only where TEST_INSTALL=1 asks for that, as root on Debian or Ubuntu.
 *
 * @returns Its path.
 * @throws Error that says what to install and how, where it is missing.
 */
export function ensureProgram({ name, tests, find, otherwise = '' }: Program): string {
  const there = find()
  if (there !== undefined) return there
  if (process.env['TEST_INSTALL'] === '1' && process.getuid?.() === 0 && findOnPath('apt-get')) {
    process.stderr.write(`localpost: TEST_INSTALL=1: installing ${name} with apt-get\n`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const wait = ['-o', 'DPkg::Lock::Timeout=300']
    for (const args of [
      ['update', '-qq'],
      ['install', '-y', '-qq', '--no-install-recommends', name],
    ])
      execFileSync('apt-get', [...wait, ...args], { env, stdio: ['ignore', 2, 2] })
  }
  const installed = find()
  if (installed !== undefined) return installed
  throw new Error(
    `The tests of ${tests} need ${name}. Install it (Debian, Ubuntu: sudo apt-get install ${name})${otherwise}. ` +
      'With TEST_INSTALL=1 the tests install it with apt-get, as root on Debian or Ubuntu. ' +
      '`npm test -- --project unit` runs the tests that need no such program.',
  )
}
