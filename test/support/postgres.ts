import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { ensureProgram } from './programs.ts'

/** A PostgreSQL server of its own, on a free port of the loopback interface. */
export interface TestServer {
  readonly port: number
  /** The URL of a database, with the password of the superuser. */
  readonly url: string
  /** The process of the server. Tests stop and continue it with signals. */
  readonly process: ChildProcess
  /** Stops the server, as an operator does (SIGINT) or as after a crash (SIGQUIT). */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Starts the server again, on the same port and with the same data. */
  start(): Promise<void>
  /** Stops the server and removes its data. */
  remove(): Promise<void>
}

/**
 * Starts PostgreSQL in a temporary folder, as an unprivileged user.
 *
 * @param settings  Settings of the server, such as `max_connections`.
 * @param disk  An empty folder for its tables; its log stays in the temporary folder. Default: all is in that folder.
 */
export async function startPostgres(
  settings: Record<string, string> = {},
  disk?: string,
): Promise<TestServer> {
  const bin = ensureProgram({ name: 'postgresql', tests: 'the store in PostgreSQL', find: findPostgres })
  const folder = mkdtempSync(join(tmpdir(), 'localpost-postgres-'))
  const passwords = join(folder, 'password')
  writeFileSync(passwords, `${password}\n`)
  // The server refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  if (user.uid !== undefined)
    for (const path of [folder, passwords, ...(disk === undefined ? [] : [disk])])
      chownSync(path, nobody, nobody)
  const data = join(disk ?? folder, 'data')
  const made = spawnSync(
    join(bin, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'localpost',
      '-A',
      'scram-sha-256',
      `--pwfile=${passwords}`,
      '-E',
      'UTF8',
      '--locale=C',
      '-N',
      ...(disk === undefined ? [] : [`--waldir=${join(folder, 'log')}`]),
    ],
    { ...user, encoding: 'utf8', cwd: folder },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: '100',
    ...settings,
  }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let port = await freePort()
  let running: ChildProcess | null = null

  async function start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...options], {
        ...user,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const said = await new Promise<string>((resolve) => {
        let text = ''
        server.stderr.setEncoding('utf8')
        server.stderr.on('data', (piece: string) => {
          if (text.length < 100_000) text += piece
          if (text.includes('ready to accept connections')) resolve('')
        })
        server.on('exit', () => resolve(text))
      })
      if (said === '') {
        running = server
        return
      }
      if (tries === 5) throw new Error(`PostgreSQL did not start: ${said}`)
      port = await freePort()
    }
  }

  async function stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = running
    running = null
    if (!server || server.exitCode !== null) return
    server.kill('SIGCONT')
    server.kill(signal)
    await once(server, 'exit')
  }

  await start()
  return {
    get port() {
      return port
    },
    get url() {
      return `postgres://localpost:${password}@127.0.0.1:${port}/postgres`
    },
    get process() {
      if (!running) throw new Error('The server is not running.')
      return running
    },
    start,
    stop,
    async remove() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Makes an empty database. @returns Its URL. */
export async function createDatabase({ url, port }: TestServer): Promise<string> {
  const name = `db_${++databases}_${process.pid}`
  await runSql(url, `CREATE DATABASE ${name}`)
  return `postgres://localpost:${password}@127.0.0.1:${port}/${name}`
}
let databases = 0

/** Runs statements as the superuser. @returns The rows of the last one. */
export async function runSql(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const results: unknown = await client.query(text)
    const last = Array.isArray(results) ? results.at(-1) : results
    return (last as { rows: unknown[] }).rows
  } finally {
    await client.end()
  }
}

/** The folder of the server's programs, which are not on the path in Debian. */
export function findPostgres(): string | undefined {
  const versions = '/usr/lib/postgresql'
  if (!existsSync(versions)) return undefined
  const folders = readdirSync(versions).map((version) => join(versions, version, 'bin'))
  return folders.findLast((folder) => existsSync(join(folder, 'postgres')))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return address.port
}

const password = 'a secret'.replace(' ', '-')
const nobody = 65_534
