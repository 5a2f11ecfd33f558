import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createReadingThread } from '../../src/reading/thread.ts'
import { steppedClock } from '../support/stepped-clock.ts'
import { temporaryFolder } from '../support/folder.ts'

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

const answering = `parentPort.on('message', ({ id, kind, bytes }) => {
  parentPort.postMessage({ id, result: kind + ' of ' + bytes.length })
})
parentPort.postMessage('ready')`

it('reads from sources in this thread', () => {
  expect(createReadingThread(systemClock).run('structure', own('x'))).toBeNull()
})

it('hands bytes over and gives back what the thread found', async () => {
  const thread = createReadingThread(systemClock, workerOf(answering))
  onTestFinished(() => thread.close())
  const bytes = own('large')
  expect(await thread.run('structure', bytes)).toBe('structure of 5')
  expect(bytes).toHaveLength(0)
})

it('a thread that ends while it reads is refused with Retry-After, and the next starts another', async () => {
  const thread = createReadingThread(
    systemClock,
    workerOf(`parentPort.on('message', ({ id, bytes }) => {
  if (bytes.length === 0) process.exit(1)
  parentPort.postMessage({ id, result: bytes.length })
})
parentPort.postMessage('ready')`),
  )
  onTestFinished(() => thread.close())
  expect(await thread.run('structure', own('first'))).toBe(5)
  await expect(thread.run('structure', own(''))).rejects.toMatchObject({
    code: 'service_unavailable',
  })
  expect(await thread.run('structure', own('next'))).toBe(4)
})

it('a thread that does not come to an end is ended', async () => {
  const clock = steppedClock(0)
  const thread = createReadingThread(
    clock,
    workerOf(`parentPort.on('message', () => {})\nparentPort.postMessage('ready')`),
  )
  onTestFinished(() => thread.close())
  const reading = expect(thread.run('structure', own('x'))).rejects.toMatchObject({
    code: 'service_unavailable',
  })
  await clock.advance(60_000)
  await reading
})

it('an idle thread keeps no process alive', async () => {
  const script = `const { createReadingThread } = await import(${JSON.stringify(new URL('../../dist/reading/thread.js', import.meta.url).href)})
const { systemClock } = await import(${JSON.stringify(new URL('../../dist/core/clock.js', import.meta.url).href)})
const thread = createReadingThread(systemClock)
const bytes = new TextEncoder().encode('Subject: x\\r\\n\\r\\nHi')
const { parts } = await thread.run('structure', bytes)
console.log(parts.length)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    timeout: 20_000,
  })
  expect(stdout).toBe('1\n')
})
