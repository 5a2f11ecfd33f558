/** Who takes part, and how each is started. */
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, startServer } from './processes.mjs'

const bench = dirname(dirname(fileURLToPath(import.meta.url)))
export const apiKey = 'bench_key_0123456789'

/** What a maildev is started with: loopback alone, and no line for each mail. */
export function maildevFlags(smtpPort, httpPort) {
  const ports = ['--smtp', String(smtpPort), '--web', String(httpPort)]
  return [...ports, '--ip', '127.0.0.1', '--web-ip', '127.0.0.1', '--silent']
}

/**
 * @param {object} given
 * @param {string} given.packageDir  Where `dist/` and `node_modules/` of Localpost are.
 * @param {string} given.scratch  A folder for data, emptied by {@link Contender.stop}.
 * @param {Record<string, string>} given.peers  Entry file by name, from `peers.mjs`.
 * @param {string} [given.mailpit]  Mailpit's binary.
 */
export function createContenders({ packageDir, scratch, peers, mailpit: program }) {
  const script = (name) => join(bench, 'servers', name)

  /** Starts a server of ours by its script. */
  async function own(name, args = [], http = false) {
    const port = await freePort()
    const dir = mkdtempSync(join(scratch, 'own-'))
    const server = await startServer({
      args: [script(name), String(port), ...args],
      env: { BENCH_PACKAGE: packageDir, BENCH_DIR: dir },
      [http ? 'httpPort' : 'smtpPort']: port,
    })
    return withFolder(server, dir, { smtpPort: port, httpPort: port })
  }

  /**
   * Starts Localpost's command.
   *
   * @param {object} [options]
   * @param {'process' | 'disk'} [options.durability]
   * @param {string} [options.dir]  An existing data folder, which is kept; default: a new one, removed at the end.
   * @param {string} [options.store]  The URL of a database, in place of a folder.
   * @param {boolean} [options.probed]
   * @param {string[]} [options.flags]
   * @param {string[]} [options.nodeArgs]
   */
  async function localpost({
    durability = 'process',
    dir,
    store,
    probed = false,
    flags = [],
    nodeArgs = [],
    waitForHttp = true,
  } = {}) {
    const [smtpPort, httpPort] = [await freePort(), await freePort()]
    const folder = dir ?? mkdtempSync(join(scratch, 'localpost-'))
    const server = await startServer({
      args: [
        ...(probed ? ['--expose-gc', '--import', join(bench, 'probe.mjs')] : []),
        ...nodeArgs,
        join(packageDir, 'dist/cli/main.js'),
        `--smtp-port=${smtpPort}`,
        `--port=${httpPort}`,
        ...(store ? [`--store=${store}`] : [`--dir=${folder}`, `--durability=${durability}`]),
        `--api-key=${apiKey}`,
        '--quiet',
        ...flags,
      ],
      cwd: scratch,
      smtpPort,
      httpPort: waitForHttp ? httpPort : undefined,
      probed,
    })
    return withFolder(server, dir ? null : folder, { smtpPort, httpPort, dir: folder })
  }

  /** Starts a maildev, with its default: mail in memory (2.2.1 also keeps files in the temporary folder). */
  async function maildev(name) {
    const [smtpPort, httpPort] = [await freePort(), await freePort()]
    const dir = mkdtempSync(join(scratch, 'maildev-'))
    const server = await startServer({
      args: [peers[name], ...maildevFlags(smtpPort, httpPort)],
      env: { TMPDIR: dir },
      cwd: dir,
      smtpPort,
    })
    return withFolder(server, dir, { smtpPort, httpPort })
  }

  /**
   * Starts a Mailpit, with its database in a folder and no limit of messages.
   *
   * @param {object} [options]
   * @param {string} [options.dir]  An existing folder, which is kept; default: a new one, removed at the end.
   */
  async function mailpit({ dir } = {}) {
    const [smtpPort, httpPort] = [await freePort(), await freePort()]
    const folder = dir ?? mkdtempSync(join(scratch, 'mailpit-'))
    const server = await startServer({
      program,
      args: [
        `--smtp=127.0.0.1:${smtpPort}`,
        `--listen=127.0.0.1:${httpPort}`,
        `--database=${join(folder, 'mailpit.db')}`,
        '--max=0',
        '--smtp-disable-rdns',
        '--quiet',
      ],
      cwd: folder,
      smtpPort,
      httpPort,
    })
    return withFolder(server, dir ? null : folder, { smtpPort, httpPort, dir: folder })
  }

  return {
    sink: () => own('sink.mjs'),
    floor: () => own('floor.mjs'),
    stock: () => own('floor.mjs', ['stock']),
    append: () => own('floor.mjs', ['append']),
    'bare h3': () => own('bare-h3.mjs', [], true),
    'mute relay': () => own('mute-relay.mjs', [], true),
    'http sink': () => own('http-sink.mjs', [], true),
    process: (options) => localpost({ ...options, durability: 'process' }),
    inDatabase: (options) => localpost(options),
    disk: (options) => localpost({ ...options, durability: 'disk' }),
    'maildev 2.2.1': () => maildev('maildev-2.2.1'),
    'maildev 3.0.0': () => maildev('maildev-3.0.0'),
    mailpit,
  }
}

function withFolder(server, dir, more) {
  return {
    ...server,
    ...more,
    async stop(signal) {
      await server.stop(signal)
      if (dir) rmSync(dir, { recursive: true, force: true })
    },
  }
}
