import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { isLong, sampleOf } from '../support/long.ts'
import { hasPrograms } from '../support/programs.ts'
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
  if (!hasPrograms('pid namespaces', ['hostname', 'unshare'])) return false
  try {
    const [program = '', ...args] = inNamespace('probe')
    execFileSync(program, [...args, 'true'], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write('SKIPPED: pid namespaces (`unshare --pid`) need root on Linux.\n')
    return false
  }
}

const testInNamespaces = test.skipIf(!mayUnshare())
const longTestInNamespaces = isLong ? testInNamespaces : test.skip
const timeout = 120_000
const own = hostname()

testInNamespaces(
  'two servers under one host name in two pid namespaces: one has the folder',
  { timeout },
  async () => {
    const cwd = temporaryFolder()
    const first = await startCommand(['--dir=data'], { cwd, within: inNamespace('box') })
    for (let n = 0; n < 40; n++) await post(first, `first ${n}`)
    const seconds = [inNamespace('box'), inNamespace('other'), []].map((within) =>
      runCommand(['--port=0', '--smtp-port=0', '--dir=data'], { cwd, within }),
    )
    for (const second of seconds) {
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

testInNamespaces.each(
  sampleOf(
    [
      ['another container', inNamespace('later')],
      ['this machine', []],
    ] as const,
    1,
  ),
)(
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

longTestInNamespaces(
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

// `unshare --pid` alone leaves the `/proc` of the machine: there the pids of this namespace are those of other processes.
const inHiddenProc = ['unshare', '--pid', '--fork', '--kill-child', '--']

longTestInNamespaces(
  'in a pid namespace that shows the processes of another one, the folder of a living server is refused',
  { timeout },
  async () => {
    const cwd = temporaryFolder()
    const args = ['--port=0', '--smtp-port=0', '--dir=data']
    // Two servers in one namespace, whose pids `/proc` gives to other processes or to none.
    const script = `"$@" > first.out 2> first.err & first=$!
      until grep -q '^curl ' first.out; do sleep 0.05; done
      "$@" > second.out 2>&1; echo "second ended with $?"; kill -KILL $first; wait $first
      "$@" > third.out 2>&1 & third=$!
      until grep -q '^curl ' third.out; do sleep 0.05; done
      echo 'third started'; kill -TERM $third; wait $third; "$@" > fourth.out 2>&1 & fourth=$!
      until grep -q '^curl ' fourth.out; do sleep 0.05; done; echo 'fourth started'`
    const program = [...inHiddenProc, 'sh', '-c', script, 'sh']
    const command = runCommand(args, { cwd, within: program })
    expect(await command.ended, command.stderr()).toMatchObject({ code: 0 })
    expect(command.stdout()).toMatch(/^second ended with 1\nthird started\nfourth started\n$/)
    const read = (name: string): string => readFileSync(`${cwd}/${name}.out`, 'utf8')
    expect(read('second')).toMatch(/in use by process \d+ .*which renewed its lock just now/)
    expect(read('third')).not.toContain('in use')
    expect(read('fourth')).not.toContain('Waiting')
  },
)

longTestInNamespaces(
  'a server in a namespace with the `/proc` of this machine, and one of this machine, do not share a folder',
  { timeout },
  async () => {
    const cwd = temporaryFolder()
    for (const [mine, theirs] of [
      [inHiddenProc, []],
      [[], inHiddenProc],
    ] as const) {
      const first = await startCommand(['--dir=data'], { cwd, within: mine })
      const second = runCommand(['--port=0', '--smtp-port=0', '--dir=data'], { cwd, within: theirs })
      expect(await second.ended).toMatchObject({ code: 1 })
      expect(second.stderr() + second.stdout()).toMatch(/in use by process \d+/)
      await post(first, 'mail')
      await kill(first)
      const third = await startCommand(['--dir=data'], { cwd, within: theirs })
      await post(third, 'mail')
      await kill(third)
    }
    const last = await startCommand(['--dir=data'], { cwd })
    expect(await countOf(last)).toBe(4)
    await kill(last)
  },
)

testInNamespaces('steps of the clock do not make a living server look dead', { timeout }, async () => {
  const cwd = temporaryFolder()
  writeFileSync(`${cwd}/step.cjs`, steppingClock)
  const first = await startCommand(['--dir=data'], {
    cwd,
    within: inNamespace('box'),
    env: { NODE_OPTIONS: `--require=${cwd}/step.cjs` },
  })
  for (let n = 0; n < (isLong ? 3 : 1); n++) {
    const second = runCommand(['--port=0', '--smtp-port=0', '--dir=data'], { cwd })
    expect(await second.ended).toMatchObject({ code: 1 })
    expect(second.stderr() + second.stdout()).toMatch(/which renewed its lock just now/)
    await post(first, `mail ${n}`)
  }
  // And a watcher whose own clock steps.
  const third = runCommand(['--port=0', '--smtp-port=0', '--dir=data'], {
    cwd,
    env: { NODE_OPTIONS: `--require=${cwd}/step.cjs` },
  })
  expect(await third.ended).toMatchObject({ code: 1 })
  await post(first, 'last')
  expect(first.stderr()).not.toContain('writes nothing more')
  await kill(first)
})

/** Moves the clock of a process by an hour back, by two hours forward, and stops it, several times in a second. */
const steppingClock = `
const real = Date.now
const steps = [0, -3600000, 7200000, 0, -86400000]
Date.now = () => {
  const step = Math.floor(real() / 300)
  return step % 4 === 3 ? 1700000000000 : real() + steps[step % steps.length]
}`

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
