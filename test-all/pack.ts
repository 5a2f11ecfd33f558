import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { root, run } from './run.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The packed package. */
    tarball: string
    /** The output of `npm pack`. */
    packed: { size: number; unpackedSize: number; files: string[] }
  }
}

/** Packs the package once for all files, as a release does. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'localpost-pack-'))
  await run('node', ['scripts/build.mjs', '--if-stale'], { cwd: root })
  const json = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [packed] = Object.values(JSON.parse(await run('npm', json, { cwd: root })) as Record<string, Packed>)
  if (!packed) throw new Error('npm pack packed nothing.')
  const { filename, size, unpackedSize, files } = packed
  project.provide('tarball', join(folder, filename))
  project.provide('packed', { size, unpackedSize, files: files.map(({ path }) => path) })
  return () => rmSync(folder, { recursive: true, force: true })
}

interface Packed {
  filename: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}
