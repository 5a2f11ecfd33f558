import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'

/** The checkout's root. */
export const root: string = resolve(import.meta.dirname, '..')

/** Variables that mark a process as part of this run, or name its npm, must not reach another project. */
export function ownEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const foreign =
    /^(?:VITEST|NODE_ENV|NODE_TEST_CONTEXT|npm_(?!config_cache)|INIT_CWD|TEST|PROD|DEV|MODE|SSR|BASE_URL)/i
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name))
  return { ...Object.fromEntries(kept), CI: '1', NO_COLOR: '1', ...more }
}

/**
 * Runs a program to its end.
 *
 * @returns Its stdout.
 * @throws Error with all its output, if it ends with another code than 0.
 */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  return (await runBoth(command, args, options)).out
}

/** The same; returns stdout followed by stderr. */
export async function runAll(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { out, err } = await runBoth(command, args, options)
  return out + err
}

interface RunOptions {
  cwd: string
  env?: NodeJS.ProcessEnv
  input?: string
  /** Default: 400 seconds. */
  timeoutMs?: number
}

async function runBoth(
  command: string,
  args: readonly string[],
  { cwd, env, input, timeoutMs = 400_000 }: RunOptions,
): Promise<{ out: string; err: string }> {
  const child = spawn(command === 'node' ? process.execPath : command, args, {
    cwd,
    env: ownEnvironment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
  })
  child.stdin.on('error', () => undefined).end(input)
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((done, fail) => {
      child.once('error', fail)
      child.once('close', done)
    }),
  ])
  if (code === 0) return { out, err }
  throw new Error(`${[command, ...args].join(' ')} ended with ${code ?? child.signalCode}:\n${out}\n${err}`)
}
