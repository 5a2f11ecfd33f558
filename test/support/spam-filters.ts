import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../cli/command.ts'

/** An installed spam filter that runs on loopback for a test. It makes no DNS look-ups. */
export interface SpamFilter {
  /** Host and port. */
  address: string
  stop(): Promise<void>
}

/** Starts SpamAssassin with only its built-in rules. */
export async function startSpamd(): Promise<SpamFilter> {
  const address = `127.0.0.1:${await freePort()}`
  const home = mkdtempSync(join(tmpdir(), 'localpost-spamd-'))
  const [host = '', port = ''] = address.split(':')
  const flags = ['-L', '-x', '-p', port, '-i', host, '--syslog=stderr', '-m', '1']
  const stop = await run(['spamd', ...flags, '--min-children=1', `--helper-home-dir=${home}`], (said) => {
    if (!said.includes('successfully spawned child')) throw new Error(said)
  })
  return {
    address,
    async stop() {
      await stop()
      rmSync(home, { recursive: true })
    },
  }
}

/**
 * Starts rspamd with only its built-in rules.
 *
 * @param options.password  The password that its controller requires.
 * @returns The addresses of its normal worker and of its controller, which accepts mail too.
 */
export async function startRspamd({
  password,
}: {
  password: string
}): Promise<SpamFilter & { controller: string }> {
  const [address, controller] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
  const home = mkdtempSync(join(tmpdir(), 'localpost-rspamd-'))
  const file = join(home, 'rspamd.conf')
  writeFileSync(
    file,
    `options {
      pidfile = "${home}/pid"; control_socket = "${home}/control mode=0600";
      cache_file = "${home}/cache"; history_file = "${home}/history"; temp_dir = "${home}"; hs_cache_dir = "${home}";
      filters = "chartable,regexp"; disable_hyperscan = true;
      # Nothing listens there.
      dns { nameserver = ["127.0.0.1:9"]; timeout = 0.1s; retransmits = 0; }
    }
    logging { type = "console"; level = "notice"; }
    worker "normal" { bind_socket = "${address}"; count = 1; }
    worker "controller" { bind_socket = "${controller}"; count = 1; password = "${password}"; secure_ip = []; }
    lua = "$RULESDIR/rspamd.lua"
    .include "$CONFDIR/groups.conf"
    .include "$CONFDIR/actions.conf"
`,
  )
  const stop = await run(['rspamd', '-c', file, '-f', '-i'], async () => {
    await Promise.all([address, controller].map((one) => fetch(`http://${one}/ping`)))
  })
  return {
    address,
    controller,
    async stop() {
      await stop()
      rmSync(home, { recursive: true })
    },
  }
}

/**
 * Runs a program until it is stopped.
 *
 * @param check  Throws until the program is ready. It gets the output on stderr so far.
 */
async function run(
  [program = '', ...args]: string[],
  check: (said: string) => void | Promise<void>,
): Promise<() => Promise<void>> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece) => (said += String(piece)))
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${program} ended: ${said}`)))
  })
  failed.catch(() => undefined)
  await Promise.race([vi.waitFor(() => check(said), { timeout: 110_000, interval: 100 }), failed])
  return async () => {
    child.kill()
    await exited
  }
}
