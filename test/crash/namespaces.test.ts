import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { runCommand, startCommand, type Started } from '../cli/command.ts'

/** Runs a command in a pid namespace of its own, as a container does, under a host name. */
const inNamespace = (host: string): string[] => [
  'unshare',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  '--uts',
  'sh',
  '-c',
  `hostname ${host}; exec "$@"`,
  'sh',
]

/** Whether this user may create namespaces on this machine. */
function mayUnshare(): boolean {
  try {
    const [program = '', ...args] = inNamespace('probe')
    execFileSync(program, [...args, 'true'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('SKIPPED: this machine makes no pid namespaces here (`unshare --pid` needs root on Linux).')
    return false
  }
}

const testInNamespaces = test.skipIf(!mayUnshare())
const timeout = 60_000
const own = execFileSync('hostname').toString().trim()

testInNamespaces(
  'two servers under one host name in two pid namespaces: one has the folder',
  { timeout },
  async () => {
    const cwd = temporaryFolder()
    const first = await startCommand(['--dir=data'], { cwd, within: inNamespace('box') })
    for (let n = 0; n < 40; n++) await post(first, `first ${n}`)
    for (const within of [inNamespace('box'), inNamespace('other'), []]) {
      const second = runCommand(['--port=0', '--smtp-port=0', '--dir=data'], { cwd, within })
      expect(await second.ended).toMatchObject({ code: 1 })
      expect(second.stderr() + second.stdout()).toMatch(/in use by process \d+ on the host "box"/)
    }
    for (let n = 0; n < 40; n++) await post(first, `second ${n}`)
    await kill(first)
    const last = await startCommand(['--dir=data'], { cwd, within: inNamespace('box') })
    expect(await countOf(last)).toBe(80)
    await kill(last)
  },
)

testInNamespaces.each([
  ['another container', inNamespace('later')],
  ['this machine', []],
])(
  'after a kill in a container, %s takes the folder over within seconds and says so',
  { timeout },
  async (_, within) => {
    const cwd = temporaryFolder()
    const first = await startCommand(['--dir=data'], { cwd, within: inNamespace('earlier') })
    for (let n = 0; n < 20; n++) await post(first, `mail ${n}`)
    await kill(first)
    const began = performance.now()
    const second = await startCommand(['--dir=data'], { cwd, within })
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(second.stderr()).toMatch(
      /not renewed for 5 seconds, so process \d+ on the host "earlier" has ended/,
    )
    expect(await countOf(second)).toBe(20)
    await kill(second)
  },
)

testInNamespaces(
  'a server that was stopped and wakes up after a takeover writes nothing',
  { timeout },
  async () => {
    const cwd = temporaryFolder()
    const first = await startCommand(['--dir=data'], { cwd, within: inNamespace('box') })
    for (let n = 0; n < 20; n++) await post(first, `first ${n}`)
    const stopped = childOf(first.pid)
    process.kill(stopped, 'SIGSTOP')
    const second = await startCommand(['--dir=data'], { cwd })
    for (let n = 0; n < 20; n++) await post(second, `second ${n}`)
    process.kill(stopped, 'SIGCONT')
    const refused = await send(first, 'late')
    expect(refused.status).toBe(503)
    expect(await refused.text()).toMatch(
      new RegExp(`Process ${second.pid} on the host .*"${own}.*took the folder`),
    )
    for (let n = 20; n < 40; n++) await post(second, `second ${n}`)
    await kill(first)
    await kill(second)
    const last = await startCommand(['--dir=data'], { cwd })
    expect(await countOf(last)).toBe(60)
    await kill(last)
  },
)

function send({ url, apiKey }: Started, subject: string): Promise<Response> {
  return fetch(`${url}/v1/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from: 'app@acme.test', to: 'ada@example.com', subject, text: subject }),
  })
}

async function post(server: Started, subject: string): Promise<void> {
  expect((await send(server, subject)).status).toBe(200)
}

async function countOf({ url, apiKey }: Started): Promise<number> {
  const response = await fetch(`${url}/v1/emails`, { headers: { authorization: `Bearer ${apiKey}` } })
  return ((await response.json()) as { count: number }).count
}

/** The server itself, where another program runs it. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim())
}

async function kill(command: Started): Promise<void> {
  process.kill(command.pid, 'SIGKILL')
  await command.ended
}
