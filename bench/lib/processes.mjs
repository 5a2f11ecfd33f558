/** Child processes: servers that listen, and programs that run to their end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'

/** Those that run, so that an interrupted run leaves none behind. */
const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A port that is free now. */
export async function freePort() {
  const server = net.createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Starts a server and waits until it greets.
 *
 * @param {object} spec
 * @param {string[]} spec.args  Arguments of the program.
 * @param {string} [spec.program]  Default: `node`.
 * @param {number} [spec.smtpPort]  Ready is: an SMTP greeting came.
 * @param {number} [spec.httpPort]  Ready is: a connection is taken; in addition where both are given.
 * @param {Record<string, string>} [spec.env]
 * @param {string} [spec.cwd]
 * @param {boolean} [spec.probed]  It has `probe.mjs` loaded.
 * @returns {Promise<Server>}
 *
 * @typedef {object} Server
 * @property {number} pid
 * @property {number} greetedMs  From the start of the process to the greeting.
 * @property {number} httpMs  From the start of the process to its taking an HTTP connection.
 * @property {(wanted: 'reset' | 'report' | 'collect') => Promise<any>} ask  Of the probe.
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop
 */
export async function startServer({
  args,
  program = process.execPath,
  smtpPort,
  httpPort,
  env = {},
  cwd,
  probed = false,
}) {
  const startedAt = performance.now()
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', ...(probed ? ['ipc'] : [])],
  })
  running.add(child)
  let errors = ''
  child.stderr.on('data', (chunk) => (errors = (errors + chunk).slice(-4000)))
  child.once('exit', () => running.delete(child))
  const died = () =>
    (child.exitCode ?? child.signalCode) !== null && new Error(`${args.join(' ')} ended: ${errors}`)
  let greetedMs = 0
  if (smtpPort) greetedMs = (await greeting(smtpPort, died)) - startedAt
  const httpMs = httpPort ? (await greeting(httpPort, died, false)) - startedAt : Number.NaN
  return {
    pid: child.pid,
    greetedMs,
    httpMs,
    ask: (wanted) =>
      new Promise((resolve, reject) => {
        const onExit = () => reject(new Error(`the server is gone: ${errors}`))
        child.once('exit', onExit)
        child.once('message', (answer) => {
          child.off('exit', onExit)
          resolve(answer)
        })
        child.send(wanted)
      }),
    stop: (signal = 'SIGTERM') => stop(child, signal),
  }
}

/** Runs a script of ours and reads the JSON that it prints last. */
export async function runJson(args, { env = {}, cwd } = {}) {
  const { stdout } = await runToEnd(args, { env, cwd })
  return JSON.parse(stdout.trim().split('\n').at(-1))
}

/** Runs `node` to its end. @returns What it printed, and how long it took in milliseconds. */
export async function runToEnd(args, { env = {}, cwd } = {}) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr = (stderr + chunk).slice(-4000)))
  const [code] = await once(child, 'close')
  running.delete(child)
  if (code !== 0) throw new Error(`node ${args[0]} ended with ${code}: ${stderr}`)
  return { stdout, ms: performance.now() - startedAt }
}

async function stop(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  const hard = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(hard)
}

/** Tries until a server takes a connection and, unless told otherwise, says its first word. @returns When it did. */
async function greeting(port, died, speaks = true) {
  const deadline = performance.now() + 300_000
  while (performance.now() < deadline) {
    const at = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1')
      const end = (result) => {
        resolve(result)
        socket.destroy()
      }
      socket.once(speaks ? 'data' : 'connect', () => end(performance.now()))
      socket.once('error', () => end(0))
    })
    if (at > 0) return at
    const error = died()
    if (error) throw error
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  throw new Error(`nothing answers on port ${port}`)
}
