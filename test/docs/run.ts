import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createLocalpost, type Localpost } from '../../src/index.ts'
import { root } from './blocks.ts'

/** The result of a program. */
export interface Run {
  status: number | null
  stdout: string
  stderr: string
}

/** Runs a program to its end; one that hangs is killed, and has no status. */
export async function run(
  command: string,
  args: readonly string[],
  { cwd, env = {}, input = '' }: { cwd: string; env?: NodeJS.ProcessEnv; input?: string },
): Promise<Run> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|NODE_ENV|NODE_TEST_CONTEXT)/.test(name),
  )
  const child = spawn(command, args, {
    cwd,
    env: { ...Object.fromEntries(kept), NO_COLOR: '1', CI: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  child.stdin.on('error', () => undefined).end(input)
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((done, fail) => child.once('error', fail).once('close', done)),
  ])
  return { status: child.exitCode, stdout, stderr }
}

/** Creates a project with the built Localpost and a few more packages. */
export function makeProject(files: Readonly<Record<string, string>>): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'localpost-docs-'))
  mkdirSync(join(dir, 'node_modules/@opentelemetry'), { recursive: true })
  symlinkSync(root, join(dir, 'node_modules/localpost'))
  for (const name of linked) {
    symlinkSync(join(root, 'node_modules', name), join(dir, 'node_modules', name))
  }
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content)
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}

/** The packages that the code of documents uses. */
const linked = [
  'vitest',
  'nodemailer',
  'standardwebhooks',
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace-base',
]

/** A running instance, and the code of documents adapted to it: its ports instead of the default ones. */
export async function startForDocs(): Promise<{ post: Localpost; adapt(code: string): string }> {
  const post = await createLocalpost({ apiKeys: ['lp_docs'], retryDelaysMs: [10, 10, 10] })
  const { port } = await post.listen()
  return {
    post,
    adapt: (code) =>
      code
        .replaceAll('127.0.0.1:8025', `127.0.0.1:${port}`)
        .replaceAll(/(127\.0\.0\.1"?(?::|, |', port: ))1025\b/g, `$1${post.smtp.port}`)
        .replace(/^export LOCALPOST_API_KEY=.*$/m, ''),
  }
}
