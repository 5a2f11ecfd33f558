import { setMaxListeners } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Clock } from '../../src/core/clock.ts'
import { LocalpostError } from '../../src/core/errors.ts'
import { plainError, reviveError } from '../../src/core/job-worker.ts'
import { createJobThread, type JobThread } from '../../src/core/job-thread.ts'
import { temporaryFolder } from '../support/folder.ts'
import { testClock } from '../support/clock.ts'

function workerOf(source: string): URL {
  const file = join(temporaryFolder(), 'worker.mjs')
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads'\n${source}\nparentPort.postMessage('ready')`,
  )
  return pathToFileURL(file)
}

/** A worker with a function `reply(bytes)`; where it returns nothing there is no answer. */
const replying = (reply: string): URL =>
  workerOf(`let runs = 0
const reply = ${reply}
parentPort.on('message', ({ kind, inputs: [bytes] }) => {
  const result = reply(bytes, kind, ++runs)
  if (result !== undefined) parentPort.postMessage({ result })
})`)

const jobs = { length: (bytes: Buffer): unknown => `here: ${bytes.length}` }

function open(file: URL | null, clock?: Pick<Clock, 'after'>): JobThread<typeof jobs> {
  const thread = createJobThread(jobs, file, clock)
  onTestFinished(() => thread.close())
  return thread
}

const own = (text: string): Buffer<ArrayBuffer> => {
  const bytes = Buffer.from(new ArrayBuffer(text.length))
  bytes.write(text)
  return bytes
}

const silent = (): URL => replying('() => undefined')
/** A job is with a thread that runs after a turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const ended = { code: 'service_unavailable', headers: { 'retry-after': '1' } }

it('from sources, a job runs in the thread of its caller', async () => {
  const source = new URL('../../src/instance/worker.ts', import.meta.url)
  expect(await open(source).run('length', [own('x')])).toBe('here: 1')
})

it('where no thread can be started, a job runs in the thread of its caller, with its bytes', async () => {
  const missing = pathToFileURL(join(temporaryFolder(), 'missing.mjs'))
  for (const file of [missing, workerOf(`throw new Error('refused')`), workerOf('process.exit(1)')]) {
    const thread = open(file)
    const bytes = own('large')
    expect(await thread.run('length', [bytes])).toBe('here: 5')
    expect(bytes.toString()).toBe('large')
    expect(await thread.run('length', [bytes])).toBe('here: 5')
  }
})

it('transfers bytes and returns the result of the thread', async () => {
  const thread = open(replying("(bytes, kind) => kind + ' of ' + bytes.length"))
  const bytes = own('large')
  expect(await thread.run('length', [bytes])).toBe('length of 5')
  expect(bytes).toHaveLength(0)
})

it('works on one job at a time, in order of arrival', async () => {
  const thread = open(
    workerOf(`let open = 0
parentPort.on('message', ({ inputs: [bytes] }) => {
  open++
  setTimeout(() => {
    parentPort.postMessage({ result: bytes.toString() + '/' + open })
    open--
  }, 20)
})`),
  )
  const all = ['a', 'b', 'c'].map((text) => thread.run('length', [own(text)]))
  expect(await Promise.all(all)).toEqual(['97/1', '98/1', '99/1'])
})

it('refuses a job with Retry-After where too many wait', async () => {
  const thread = open(silent())
  const caller = new AbortController()
  const { signal } = caller
  setMaxListeners(0, signal)
  // One runs and 256 wait.
  const waiting = Array.from({ length: 257 }, () => thread.run('length', [own('x')], { signal }))
  await expect(thread.run('length', [own('x')])).rejects.toMatchObject(ended)
  caller.abort(new Error('left'))
  const outcomes = await Promise.allSettled(waiting)
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
})

it('a job whose thread exits is refused with Retry-After, and the next job starts another thread', async () => {
  const thread = open(replying('(bytes) => bytes.length || process.exit(1)'))
  expect(await thread.run('length', [own('first')])).toBe(5)
  await expect(thread.run('length', [own('')])).rejects.toMatchObject(ended)
  expect(await thread.run('length', [own('next')])).toBe(4)
})

it('a thread that has worked on large data is ended where it has no work, and kept where it has', async () => {
  const thread = open(replying('(bytes, kind, runs) => runs'))
  expect(await thread.run('length', [own('a')])).toBe(1)
  await thread.rest()
  const second = thread.run('length', [own('b'.repeat(3_000_000))])
  await turn()
  await thread.rest()
  expect(await second).toBe(2)
  await thread.rest()
  expect(await thread.run('length', [own('c')])).toBe(1)
})

it('a thread without work ends after a while, by the clock', async () => {
  const clock = testClock(0)
  const thread = open(replying('(bytes, kind, runs) => runs'), clock)
  expect(await thread.run('length', [own('a')])).toBe(1)
  await clock.advance(4000)
  expect(await thread.run('length', [own('b')])).toBe(2)
  await clock.advance(5000)
  expect(await thread.run('length', [own('c')])).toBe(1)
})

it('a signal during the work ends the thread, and the job that waits gets the next one', async () => {
  const thread = open(replying('(bytes, kind, runs) => (bytes.length > 1 ? runs : undefined)'))
  expect(await thread.run('length', [own('one')])).toBe(1)
  const caller = new AbortController()
  const left = thread.run('length', [own('x')], { signal: caller.signal })
  const kept = thread.run('length', [own('two')])
  await turn()
  caller.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  expect(await kept).toBe(1)
})

it('a caller who left starts no work, before and while the thread starts', async () => {
  const thread = open(replying('(bytes) => bytes.length'))
  const bytes = own('large')
  const signal = AbortSignal.abort(new Error('left'))
  await expect(thread.run('length', [bytes], { signal })).rejects.toThrow('left')
  const caller = new AbortController()
  const starting = thread.run('length', [bytes], { signal: caller.signal })
  caller.abort(new Error('left'))
  await expect(starting).rejects.toThrow('left')
  expect(bytes.toString()).toBe('large')
  expect(await thread.run('length', [bytes])).toBe(5)
})

it('a thread that does not finish in time is ended, and the job that waits gets the next one', async () => {
  const clock = testClock(0)
  const thread = open(replying('(bytes) => (bytes.length > 1 ? bytes.length : undefined)'), clock)
  let refusal: unknown = null
  void thread.run('length', [own('x')], { deadlineMs: 20_000 }).catch((error: unknown) => (refusal = error))
  const next = thread.run('length', [own('two')], { patienceMs: Number.POSITIVE_INFINITY })
  await vi.waitFor(async () => {
    await clock.advance(20_000)
    expect(refusal).toMatchObject(ended)
  }, 15_000)
  expect(await next).toBe(3)
})

it('an error comes out of the thread as it was thrown in it', () => {
  const error = new LocalpostError('validation_error', 'Wrong.', {
    errors: Array.from({ length: 150 }, (_, i) => ({ field: `f${i}`, message: 'is wrong' })),
    headers: { allow: 'GET' },
    status: 418,
  })
  const revived = reviveError(structuredClone(plainError(error)))
  expect(revived).toEqual(error)
  expect(JSON.stringify(revived)).toBe(JSON.stringify(error))
})

it('what is no data is refused, and the next job runs', async () => {
  const thread = open(replying('(bytes) => bytes.length'))
  const inputs = [() => undefined] as unknown as [Buffer]
  await expect(thread.run('length', inputs)).rejects.toThrow('could not be cloned')
  expect(await thread.run('length', [own('next')])).toBe(4)
})

it('a job that runs when the thread is closed is refused; later ones run in the thread of their caller', async () => {
  const thread = open(replying('(bytes) => (bytes.length > 1 ? bytes.length : undefined)'))
  expect(await thread.run('length', [own('first')])).toBe(5)
  const left = thread.run('length', [own('x')])
  const refused = expect(left).rejects.toMatchObject(ended)
  await turn()
  await thread.close()
  await refused
  expect(await thread.run('length', [own('x')])).toBe('here: 1')
})
