import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createReadingThread } from '../../src/reading/thread.ts'
import { temporaryFolder } from '../support/folder.ts'
import { testClock } from '../support/clock.ts'

function workerOf(source: string): URL {
  const file = join(temporaryFolder(), 'worker.mjs')
  writeFileSync(file, `import { parentPort } from 'node:worker_threads'\n${source}`)
  return pathToFileURL(file)
}

const own = (text: string): Buffer<ArrayBuffer> => {
  const bytes = Buffer.from(new ArrayBuffer(text.length))
  bytes.write(text)
  return bytes
}

const answering = `parentPort.on('message', ({ id, kind, inputs: [bytes] }) => {
  parentPort.postMessage({ id, result: kind + ' of ' + bytes.length })
})
parentPort.postMessage('ready')`

it('reads from sources in this thread', async () => {
  expect(await createReadingThread(systemClock).run('structure', [own('x')])).toBeNull()
})

it('transfers bytes and returns the result of the thread', async () => {
  const thread = createReadingThread(systemClock, workerOf(answering))
  onTestFinished(() => thread.close())
  const bytes = own('large')
  expect(await thread.run('structure', [bytes])).toBe('structure of 5')
  expect(bytes).toHaveLength(0)
})

it('a job whose thread exits is refused with Retry-After, and the next job starts another thread', async () => {
  const thread = createReadingThread(
    systemClock,
    workerOf(`parentPort.on('message', ({ id, inputs: [bytes] }) => {
  if (bytes.length === 0) process.exit(1)
  parentPort.postMessage({ id, result: bytes.length })
})
parentPort.postMessage('ready')`),
  )
  onTestFinished(() => thread.close())
  expect(await thread.run('structure', [own('first')])).toBe(5)
  await expect(thread.run('structure', [own('')])).rejects.toMatchObject({
    code: 'service_unavailable',
  })
  expect(await thread.run('structure', [own('next')])).toBe(4)
})

it('a thread is ended where it has no work, and kept where it has', async () => {
  const thread = createReadingThread(
    systemClock,
    workerOf(`let runs = 0
parentPort.on('message', ({ id }) => parentPort.postMessage({ id, result: ++runs }))
parentPort.postMessage('ready')`),
  )
  onTestFinished(() => thread.close())
  expect(await thread.run('structure', [own('a')])).toBe(1)
  const second = thread.run('structure', [own('b')])
  // The question is with the thread after a turn.
  await new Promise((resolve) => setImmediate(resolve))
  await thread.rest()
  expect(await second).toBe(2)
  await thread.rest()
  expect(await thread.run('structure', [own('c')])).toBe(1)
})

const silent = `parentPort.on('message', () => {})\nparentPort.postMessage('ready')`

it('a thread without other work ends with the signal, and the next job starts another one', async () => {
  const thread = createReadingThread(
    systemClock,
    workerOf(`parentPort.on('message', ({ id, inputs: [bytes] }) => {
  if (bytes.length > 1) parentPort.postMessage({ id, result: bytes.length })
})
parentPort.postMessage('ready')`),
  )
  onTestFinished(() => thread.close())
  const caller = new AbortController()
  const left = thread.run('structure', [own('x')], caller.signal)
  const refused = expect(left).rejects.toThrow('left')
  const other = new AbortController()
  const kept = thread.run('structure', [own('y')], other.signal)
  await pause(500)
  caller.abort(new Error('left'))
  await refused
  // It works for the other caller: its next answer is from the same thread.
  expect(await Promise.race([kept, thread.run('structure', [own('two')])])).toBe(3)
  other.abort(new Error('left too'))
  await expect(kept).rejects.toThrow('left too')
  expect(await thread.run('structure', [own('three')])).toBe(5)
})

it('a caller who left starts no work, before and while the thread starts', async () => {
  const thread = createReadingThread(systemClock, workerOf(answering))
  onTestFinished(() => thread.close())
  const bytes = own('large')
  await expect(thread.run('structure', [bytes], AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
  const caller = new AbortController()
  const starting = thread.run('structure', [bytes], caller.signal)
  caller.abort(new Error('left'))
  await expect(starting).rejects.toThrow('left')
  expect(bytes.toString()).toBe('large')
  expect(await thread.run('structure', [bytes])).toBe('structure of 5')
})

it('a thread that does not finish is terminated', async () => {
  const clock = testClock(0)
  const thread = createReadingThread(clock, workerOf(silent))
  onTestFinished(() => thread.close())
  let refusal: unknown = null
  void thread.run('structure', [own('x')]).catch((error: unknown) => (refusal = error))
  await vi.waitFor(async () => {
    await clock.advance(60_000)
    expect(refusal).toMatchObject({ code: 'service_unavailable' })
  }, 15_000)
})

it('where no thread can be started, the message is parsed in this one', async () => {
  const missing = pathToFileURL(join(temporaryFolder(), 'missing.mjs'))
  for (const file of [missing, workerOf(`throw new Error('refused')`), workerOf('process.exit(1)')]) {
    const thread = createReadingThread(systemClock, file)
    const bytes = own('large')
    expect(await thread.run('structure', [bytes])).toBeNull()
    expect(bytes.toString()).toBe('large')
    expect(await thread.run('structure', [bytes])).toBeNull()
    await thread.close()
  }
})

it('the package reads a large message in its thread', async () => {
  const script = join(temporaryFolder(), 'script.mjs')
  const entry = new URL('../../dist/index.cjs', import.meta.url).href
  writeFileSync(
    script,
    `import workers from 'node:worker_threads'
workers.Worker = class extends workers.Worker {
  constructor(...args) {
    super(...args)
    this.once('message', (answer) => console.log('thread', answer))
  }
}
const { createLocalpost } = (await import(${JSON.stringify(entry)})).default
const post = await createLocalpost()
const { id } = await post.inbox.import(Buffer.from('Subject: x\\r\\n\\r\\n' + 'text\\r\\n'.repeat(400_000)))
const { text } = await post.inbox.get(id)
console.log(text.length)
await post.close()`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 30_000 })
  expect(stdout).toBe('thread ready\n2000000\n')
})

it('the package reads what is attached to a large message in its thread, and answers as for a small one', async () => {
  const script = join(temporaryFolder(), 'script.mjs')
  const entry = new URL('../../dist/index.cjs', import.meta.url).href
  writeFileSync(
    script,
    `import workers from 'node:worker_threads'
let asked = []
workers.Worker = class extends workers.Worker {
  postMessage(request, ...more) {
    if (request.kind === 'nested') asked.push(request.kind)
    super.postMessage(request, ...more)
  }
}
const { createLocalpost } = (await import(${JSON.stringify(entry)})).default
const post = await createLocalpost()
const messageOf = (lines) => Buffer.from([
  'Content-Type: multipart/mixed; boundary=o', '', '--o', 'Content-Type: message/rfc822', '',
  'Subject: inner', 'Content-Type: multipart/mixed; boundary=i', '', '--i', 'Content-Type: text/html', '', '<p>Hi</p>',
  '--i', 'Content-Type: text/plain; name=a.txt', 'Content-Disposition: attachment', '', 'kept', '--i--', '--o',
  'Content-Type: text/plain; name=b.txt', 'Content-Disposition: attachment', '', ...Array(lines).fill('text'), '--o--', '',
].join('\\r\\n'))
const answers = []
for (const lines of [1, 400_000]) {
  const { id } = await post.inbox.import(messageOf(lines))
  asked = []
  const said = []
  for (const path of ['messages/0', 'messages/0/html', 'messages/0/attachments/0', 'messages/0/attachments/1', 'messages/1', 'messages/0.1']) {
    const response = await post.fetch(new Request('http://127.0.0.1/dev/inbox/' + id + '/' + path))
    said.push([response.status, (await response.text()).replaceAll(id, 'ID')])
  }
  answers.push({ asked, said })
}
console.log(JSON.stringify(answers))
await post.close()`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 30_000 })
  type Answers = { asked: string[]; said: [number, string][] }
  const [small, large] = JSON.parse(stdout) as [Answers, Answers]
  expect(small.said.map(([status]) => status)).toEqual([200, 200, 200, 404, 404, 404])
  expect(small.said[2]?.[1]).toContain('kept')
  expect(large.said).toEqual(small.said)
  expect(small.asked).toEqual([])
  expect(large.asked).toEqual(Array<string>(6).fill('nested'))
})
