/**
 * `npm run walk`: which files of `src` a submission passes until its 250, and an API send until its answer is written.
 * A file counts if one of its functions is called on the way; what runs at the start alone does not. With `--json` it
 * prints `{ submission: [...], send: [...] }`.
 */
import { ServerResponse } from 'node:http'
import { Session } from 'node:inspector'
import { register } from 'node:module'
import { Socket } from 'node:net'
import { createTransport } from 'nodemailer'

const root = new URL('../src/', import.meta.url).href
const transform = import.meta.resolve('rolldown/experimental')

// The sources run as they are, because a bundle does not tell which file a function is from.
const hooks = `
import { readFileSync } from 'node:fs'
import { transformSync } from '${transform}'
export function load(url, context, next) {
  if (!url.startsWith('${root}') || !url.endsWith('.ts')) return next(url, context)
  const { code } = transformSync(url, readFileSync(new URL(url), 'utf8'))
  return { format: 'module', source: code, shortCircuit: true }
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

const session = new Session()
session.connect()
/** Returns the files whose functions were called since the last call. Synchronous, so that it can be called at a moment. */
function calledFiles() {
  let called = []
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    // The function at 0 is the file itself.
    const isCalled = ({ functions }) =>
      functions.some(({ ranges: [whole] }) => whole.startOffset > 0 && whole.count > 0)
    called = result.filter((file) => file.url.startsWith(root) && isCalled(file))
  })
  return called.map(({ url }) => url.slice(root.length)).toSorted()
}

/** Called before each write to a socket with what is written, and before the end of an answer over HTTP with `HTTP`. */
let onAnswer = () => {}
const { end } = ServerResponse.prototype
ServerResponse.prototype.end = function (...given) {
  onAnswer('HTTP')
  return Reflect.apply(end, this, given)
}
const { write } = Socket.prototype
Socket.prototype.write = function (...given) {
  onAnswer(given[0])
  return Reflect.apply(write, this, given)
}

/** The files that `job` passes in an instance until the answer that `isAnswer` recognises. */
async function walk(post, job, isAnswer) {
  // The first one adds the domain of the sender, and the second one reads it.
  await job()
  await job()
  const runs = []
  // In one run a timer may do other work meanwhile.
  for (let i = 0; i < 3; i++) {
    // What the run before left to be done: its delivery, and its text for searches, which a search reads at once.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await post.inbox.list({ query: 'hello' })
    runs.push(await passedBy(job, isAnswer))
  }
  return runs[0].filter((file) => runs.every((passed) => passed.includes(file)))
}

async function passedBy(job, isAnswer) {
  let passed = null
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  calledFiles()
  onAnswer = (written) => {
    if (isAnswer(written)) passed ??= calledFiles()
  }
  await job()
  onAnswer = () => {}
  session.post('Profiler.stopPreciseCoverage')
  if (passed === null) throw new Error('No answer was written.')
  return passed
}

const { createLocalpost } = await import(`${root}index.ts`)
session.post('Profiler.enable')
const mail = { from: 'ada@acme.test', to: 'bo@example.com', subject: 'Hello', text: 'Hello' }
const submission = await withInstance((post) => {
  const transport = createTransport(post.smtp)
  return walk(
    post,
    () => transport.sendMail(mail),
    (written) => typeof written === 'string' && written.startsWith('250 2.6.0'),
  )
})
const send = await withInstance(async (post) => {
  const { url } = await post.listen()
  const headers = { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(mail) }
  return walk(
    post,
    async () => (await fetch(`${url}/v1/emails`, request)).text(),
    (written) => written === 'HTTP',
  )
})

/** Each walk has an instance of its own, so that what one leaves to be done does not count for the other. */
async function withInstance(run) {
  const post = await createLocalpost()
  try {
    return await run(post)
  } finally {
    await post.close()
  }
}

if (process.argv.includes('--json')) console.log(JSON.stringify({ submission, send }))
else for (const [name, files] of Object.entries({ submission, send })) print(name, files)

function print(name, files) {
  const folders = new Map()
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf('/'))
    folders.set(folder, [...(folders.get(folder) ?? []), file.slice(folder.length + 1)])
  }
  console.log(`${name}: ${files.length} files in ${folders.size} folders`)
  for (const [folder, names] of folders) console.log(`  ${folder}: ${names.join(' ')}`)
}
