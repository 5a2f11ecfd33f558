import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'

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
