import { execFileSync, spawn } from 'node:child_process'
import type { Server } from 'node:net'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { ensureProgram, findOnPath } from '../support/programs.ts'

/** A run of the command as it ships. */
export interface Command {
  pid: number
  /** The output so far. */
  stdout(): string
  stderr(): string
  /** Waits until stdout matches; throws with all output if the command ends before. */
  until(pattern: RegExp): Promise<RegExpMatchArray>
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void
  /** Writes to its stdin. */
  type(text: string): void
  /** Ends its stdin. */
  endStdin(): void
  /** Stops reading its stdout, as `| head` does. */
  closeStdout(): void
  /** How it ended. */
  ended: Promise<{ code: number | null; signal: string | null }>
}

export interface RunOptions {
  cwd?: string
  env?: Record<string, string>
  /** Gives it a terminal, with the help of util-linux. */
  terminal?: boolean
  /** A program and its arguments that run the command; the arguments of the command follow them. */
  within?: readonly string[]
}

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Runs `localpost <args>` from a temporary folder until the test ends. */
export function runCommand(args: readonly string[], options: RunOptions = {}): Command {
  const cwd = options.cwd ?? temporaryFolder()
  const [program = '', ...rest] = options.terminal
    ? ['script', '-qefc', [process.execPath, main, ...args].join(' '), '/dev/null']
    : [...(options.within ?? []), process.execPath, main, ...args]
  const child = spawn(program, rest, { cwd, env: { ...cleanEnvironment(), ...options.env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString()))
  const ended: Command['ended'] = new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  return {
    pid: child.pid ?? 0,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    signal: (name) => void child.kill(name),
    type: (text) => void child.stdin.write(text),
    endStdin: () => void child.stdin.end(),
    closeStdout: () => void child.stdout.destroy(),
    ended,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(printed.stdout)
          if (match) resolve(match)
        }
        look()
        child.stdout.on('data', look)
        void ended.then(() =>
          reject(new Error(`ended before ${pattern}: ${printed.stdout}${printed.stderr}`)),
        )
      }),
  }
}

/** Runs a command that ends without a signal. */
export async function runToEnd(
  args: readonly string[],
  options: RunOptions = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const command = runCommand(args, options)
  const { code } = await command.ended
  return { code, stdout: command.stdout(), stderr: command.stderr() }
}

/** The addresses of a started command, as its banner shows them. */
export interface Started extends Command {
  url: string
  smtpPort: number
  apiKey: string
  /** The command in the banner for a first test. */
  curl: string
}

/** Runs the command on free ports and waits for the banner. */
export async function startCommand(args: readonly string[] = [], options: RunOptions = {}): Promise<Started> {
  const command = runCommand(['--port=0', '--smtp-port=0', ...args], options)
  const [curl = ''] = await command.until(/^curl (?:.*\\\n)*.*$/m)
  const read = (pattern: RegExp): string => pattern.exec(command.stdout())?.[1] ?? ''
  return Object.assign(command, {
    url: read(/Page +(\S+)/),
    smtpPort: Number(read(/SMTP +\S+:(\d+)/)),
    apiKey: read(/Key +(\S+)/),
    curl,
  })
}

/** Runs the curl line of a banner. @returns The answer. */
export function runCurl(line: string): unknown {
  ensureProgram({ name: 'curl', tests: 'the curl line of the banner', find: () => findOnPath('curl') })
  return JSON.parse(execFileSync('sh', ['-c', `${line} -sS`], { encoding: 'utf8' }))
}

/** Takes a free port of 127.0.0.1 until the test ends. */
export async function occupyPort(): Promise<number> {
  const server = await openServer()
  onTestFinished(() => void server.close())
  return portOf(server)
}

/** A port of 127.0.0.1 that is probably free. */
export async function freePort(): Promise<number> {
  const server = await openServer()
  const port = portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function openServer(): Promise<Server> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

// Without variables that change the command's behaviour: its own ones, and those of the user who runs the tests.
function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^LOCALPOST_|^npm_|^(?:NO_COLOR|FORCE_COLOR|DEBUG|NODE_ENV|VITEST.*|CI)$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}
