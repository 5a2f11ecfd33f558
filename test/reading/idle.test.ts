import { afterEach, expect, it } from 'vitest'
import { openProjects, run } from '../testing/_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

// The thread ends after five idle seconds: a process that it kept would see its end.
const script = `
import { createLocalpost } from 'localpost'
let threads = 0
let ended = 0
process.on('worker', (thread) => {
  threads++
  thread.on('exit', () => ended++)
})
const post = await createLocalpost({ keepAlive: false })
const { id } = await post.inbox.import(Buffer.from('From: a@b.test\\r\\n\\r\\n' + 'Hello there.\\r\\n'.repeat(200_000)))
const { text } = await post.inbox.get(id)
process.on('exit', () => console.log(JSON.stringify({ threads, ended, isRead: text.startsWith('Hello') })))
`

it('an idle parser thread does not keep the process alive', async () => {
  const { status, output } = await run(projects.make({ 'app.js': script }), 'app.js')
  expect(status, output).toBe(0)
  expect(JSON.parse(output)).toEqual({ threads: 1, ended: 0, isRead: true })
})
