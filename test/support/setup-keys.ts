import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Private keys in PEM, of RSA with 2048 bits. */
    rsaKeys: string[]
  }
}

/** More keys than any test compares with each other. */
const count = 24

const file = resolve(import.meta.dirname, '../../node_modules/.cache/localpost-tests/rsa-keys.json')

/**
 * Provides RSA keys for `rsa-keys.ts`. They are made once for a checkout, because making one takes long.
 */
export default function setup(project: TestProject): void {
  project.provide('rsaKeys', readKeys() ?? makeKeys())
}

function readKeys(): string[] | undefined {
  try {
    const keys = JSON.parse(readFileSync(file, 'utf8')) as string[]
    return keys.length === count ? keys : undefined
  } catch {
    return undefined
  }
}

function makeKeys(): string[] {
  const keys = Array.from({ length: count }, () =>
    generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString(),
  )
  mkdirSync(dirname(file), { recursive: true })
  const made = `${file}.${process.pid}`
  writeFileSync(made, JSON.stringify(keys), { mode: 0o600 })
  renameSync(made, file)
  return keys
}
