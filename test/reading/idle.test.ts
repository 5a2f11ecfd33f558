import { afterEach, expect, it } from 'vitest'
import { openProjects, run } from '../testing/_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

// The thread ends after five idle seconds: a process that it kept would last that long.
const script = `
import { createLocalpost } from 'localpost'
let threads = 0
process.on('worker', () => threads++)
const post = await createLocalpost({ keepAlive: false })
const { id } = await post.inbox.import(Buffer.from('From: a@b.test\\r\\n\\r\\n' + 'Hello there.\\r\\n'.repeat(200_000)))
const { text } = await post.inbox.get(id)
const read = performance.now()
process.on('exit', () => console.log(JSON.stringify({ threads, isRead: text.startsWith('Hello'), idleMs: performance.now() - read })))
`

it('an idle parser thread does not keep the process alive', async () => {
  const { status, output } = await run(projects.make({ 'app.js': script }), 'app.js')
  expect(status, output).toBe(0)
  const { threads, isRead, idleMs } = JSON.parse(output) as {
    threads: number
    isRead: boolean
    idleMs: number
  }
  expect([threads, isRead]).toEqual([1, true])
  expect(idleMs).toBeLessThan(4500)
})
