import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** What the workers of a suite do, and where. */
export interface Work {
  dir: string
  url: string
  /** A key of the account `default`. */
  key: string
  workers: number
  mails: number
}

/**
 * Runs a suite with so many workers at the same time. Each that passes writes a file `passed-<number>`; the worker 0 kills
 * itself. Resolves with what the programs printed.
 */
export type Suite = (work: Work) => Promise<string>

/** Processes that speak plain HTTP. */
const programs: Suite = async (work) => {
  const program = `
const { SERVER: url, WORKER: worker, MAILS: mails } = process.env
async function call(method, path, key, body) {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: 'Bearer ' + key }) }
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(path + ' ' + answer.status + ' ' + (await answer.text()))
  return answer.json()
}
const { name, api_key: key } = await call('POST', '/dev/accounts', null, { ttl_ms: 60000 })
const expected = []
for (let n = 0; n < Number(mails); n++) {
  const subject = worker + ' sends ' + n
  const mail = { from: 'a@acme.test', to: 'ada@example.com', subject, text: 'x' }
  const { id } = await call('POST', '/v1/emails', key, mail)
  await call('GET', '/dev/inbox/wait?query=id:' + id + '&timeout_ms=60000', key)
  expected.push(subject)
  if (worker === '0' && n > Number(mails) / 2) process.kill(process.pid, 'SIGKILL')
}
const { count, emails } = await call('GET', '/dev/inbox?limit=500', key)
const subjects = emails.map(({ subject }) => subject).sort()
if (count !== expected.length || subjects.join() !== expected.sort().join()) throw new Error(subjects.join())
await call('DELETE', '/dev/accounts/' + name)
await (await import('node:fs/promises')).writeFile('passed-' + worker, '')
`
  return ofEach(work, (worker) =>
    run(process.execPath, ['--input-type=module', '-e', program], work, { WORKER: String(worker) }),
  )
}

/** A process of pytest for each worker, as pytest-xdist starts them. */
const pytest: Suite = async (work) => {
  writeFileSync(
    join(work.dir, 'test_worker.py'),
    `
import json, os, signal, urllib.request
import pytest

def call(method, path, key, body=None):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["SERVER"] + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)

@pytest.fixture(scope="session")
def account():
    made = call("POST", "/dev/accounts", os.environ["KEY"], {"ttl_ms": 60000})
    yield made
    call("DELETE", f"/dev/accounts/{made['name']}", os.environ["KEY"])

def test_mails(account):
    worker, mails, key = os.environ["WORKER"], int(os.environ["MAILS"]), account["api_key"]
    expected = [f"{worker} sends {n}" for n in range(mails)]
    for n, subject in enumerate(expected):
        mail = {"from": "a@acme.test", "to": "ada@example.com", "subject": subject, "text": "x"}
        sent = call("POST", "/v1/emails", key, mail)
        call("GET", f"/dev/inbox/wait?query=id:{sent['id']}&timeout_ms=60000", key)
        if worker == "0" and n > mails / 2:
            os.kill(os.getpid(), signal.SIGKILL)
    inbox = call("GET", "/dev/inbox?limit=500", key)
    assert inbox["count"] == mails
    assert sorted(mail["subject"] for mail in inbox["emails"]) == sorted(expected)

def test_end(account):
    open("passed-" + os.environ["WORKER"], "w").close()
`,
  )
  return ofEach(work, (worker) =>
    run('python3', ['-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider'], work, { WORKER: String(worker) }),
  )
}

/** A run of vitest with a file for each worker. */
const vitest: Suite = async (work) => {
  mkdirSync(join(work.dir, 'node_modules'))
  symlinkSync(root, join(work.dir, 'node_modules/localpost'))
  symlinkSync(join(root, 'node_modules/vitest'), join(work.dir, 'node_modules/vitest'))
  writeFileSync(join(work.dir, 'package.json'), '{"type":"module"}')
  for (let worker = 0; worker < work.workers; worker++)
    writeFileSync(
      join(work.dir, `${worker}.test.js`),
      `
import { writeFileSync } from 'node:fs'
import { createAccountTest, expect } from 'localpost/vitest'
const test = createAccountTest({ url: process.env.SERVER, apiKey: process.env.KEY, ttlMs: 60_000, waitTimeoutMs: 60_000 })
test('mails', async ({ localpost }) => {
  const expected = []
  for (let n = 0; n < Number(process.env.MAILS); n++) {
    const subject = '${worker} sends ' + n
    const { id } = await localpost.emails.send({ from: 'a@acme.test', to: 'ada@example.com', subject, text: 'x' })
    await localpost.inbox.waitFor('id:' + id)
    expected.push(subject)
    if (${worker} === 0 && n > Number(process.env.MAILS) / 2) process.kill(process.pid, 'SIGKILL')
  }
  const { items, count } = await localpost.inbox.list({ limit: 500 })
  expect(count).toBe(expected.length)
  expect(items.map(({ subject }) => subject).sort()).toEqual(expected.sort())
  writeFileSync('passed-${worker}', '')
})
`,
    )
  const { workers } = work
  const args = ['run', '--pool=forks', `--maxWorkers=${workers}`, '--testTimeout=400000']
  return run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], work)
}

export const suites: Readonly<Record<string, Suite>> = { programs, pytest, vitest }

async function ofEach({ workers }: Work, start: (worker: number) => Promise<string>): Promise<string> {
  const said = await Promise.all(Array.from({ length: workers }, (_, worker) => start(worker)))
  return said.join('\n')
}

/** Runs a program to its end, whatever that is. */
async function run(
  command: string,
  args: readonly string[],
  { dir, url, key, mails }: Work,
  variables: NodeJS.ProcessEnv = {},
): Promise<string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_ENV)/.test(name))
  const child = spawn(command, args, {
    cwd: dir,
    env: {
      ...Object.fromEntries(kept),
      CI: '1',
      NO_COLOR: '1',
      SERVER: url,
      KEY: key,
      MAILS: String(mails),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 480_000,
    killSignal: 'SIGKILL',
  })
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (piece: string) => (said += piece))
  await once(child, 'close')
  return said.slice(-4000)
}
