import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'

const root = resolve(import.meta.dirname, '../..')

/** Other projects that have Localpost, as it is built, and vitest among their packages. */
export interface Projects {
  /** Makes one of these files. */
  make(files: Readonly<Record<string, string>>): string
  /** Gives a project one more package. */
  link(dir: string, name: string): void
  /** Removes what was made. */
  clear(): void
}

export function openProjects(): Projects {
  const dirs: string[] = []
  return {
    make(files) {
      const dir = mkdtempSync(join(tmpdir(), 'localpost-project-'))
      dirs.push(dir)
      mkdirSync(join(dir, 'node_modules'))
      symlinkSync(root, join(dir, 'node_modules/localpost'))
      symlinkSync(join(root, 'node_modules/vitest'), join(dir, 'node_modules/vitest'))
      writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
      for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content)
      return dir
    },
    link(dir, name) {
      symlinkSync(join(root, 'node_modules', name), join(dir, 'node_modules', name))
    },
    clear() {
      for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The exit code of a program, and all its output. */
export interface Run {
  status: number | null
  output: string
}

/** Runs a Node program to its end; one that hangs is killed, and has no status. */
export const run = (dir: string, ...args: string[]): Promise<Run> => runWith({}, dir, ...args)

/** The same with variables of the environment. */
async function runWith(variables: NodeJS.ProcessEnv, dir: string, ...args: string[]): Promise<Run> {
  // Variables that mark a run as part of another one must not reach it.
  const { VITEST: _v, NODE_TEST_CONTEXT: _n, VITEST_POOL_ID: _p, VITEST_WORKER_ID: _w, ...env } = process.env
  const child = spawn(process.execPath, args, {
    cwd: dir,
    env: { ...env, NO_COLOR: '1', CI: '1', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  })
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once('close', resolve)),
  ])
  return { status: child.exitCode, output: out + err }
}

/** Runs vitest to its end. */
export const runVitest = (dir: string, ...args: string[]): Promise<Run> => runVitestWith({}, dir, ...args)

/** The same with variables of the environment. */
export const runVitestWith = (variables: NodeJS.ProcessEnv, dir: string, ...args: string[]): Promise<Run> =>
  runWith(variables, dir, join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args)
