import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createLocalpost } from '../../src/index.ts'

const built = resolve(import.meta.dirname, '../../dist/index.js')

/** Runs a module in a process of its own and gives what it prints as JSON. */
async function run(code: string, ...args: string[]): Promise<unknown> {
  const source = `const { createLocalpost } = await import(${JSON.stringify(built)})\n${code}`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...args, '--input-type=module', '-e', source],
    {
      timeout: 60_000,
    },
  )
  return JSON.parse(stdout)
}

const hello = { from: 'Acme <hi@acme.test>', to: 'ada@example.com', text: 'Hello' }

describe('many instances in one process', () => {
  it('see only their own mail, and share the generation of one key', async () => {
    const posts = await Promise.all(Array.from({ length: 100 }, () => createLocalpost()))
    try {
      await Promise.all(posts.map((post, i) => post.emails.send({ ...hello, subject: `Number ${i}` })))
      const mails = await Promise.all(
        posts.map((post) => post.inbox.waitFor({ to: 'ada@example.com' }, { timeoutMs: 60_000 })),
      )
      expect(mails.map(({ subject }) => subject)).toEqual(posts.map((_, i) => `Number ${i}`))
      expect(await Promise.all(posts.map(async (post) => (await post.inbox.list()).count))).toEqual(
        posts.map(() => 1),
      )
      const keys = await Promise.all(
        posts.map(async (post) => (await post.domains.list()).items[0]?.public_key),
      )
      expect(new Set(keys).size).toBe(1)
    } finally {
      await Promise.all(posts.map((post) => post.close()))
    }
  })

  it('keep keys of their own for domains that were created', async () => {
    await using one = await createLocalpost()
    await using other = await createLocalpost()
    const [first, second] = await Promise.all(
      [one, other].map(async (post) => {
        const { id } = await post.domains.create({ name: 'acme.example' })
        return (await post.domains.get(id)).public_key
      }),
    )
    expect(first).not.toBe(second)
  })
})

describe('the first instance', () => {
  it('does not load the HTTP server, also where it sends and lists its requests', async () => {
    const loaded = await run(`const { createRequire } = await import('node:module')
const isLoaded = () => Object.keys(createRequire('/').cache).some((file) => /[\\\\/]app-[\\w-]+\\.cjs$/.test(file))
const post = await createLocalpost()
await post.emails.send({ ...${JSON.stringify(hello)}, subject: '{{name}}' }, { warnings: true })
const { count } = await post.requests.list()
const before = isLoaded()
await post.fetch(new Request('http://localpost/dev/health'))
console.log(JSON.stringify({ count, before, after: isLoaded() }))
await post.close()`)
    expect(loaded).toEqual({ count: 1, before: false, after: true })
  })
})

describe('importing the library', () => {
  it('loads no package until an instance is created', async () => {
    const hook = `import { register } from 'node:module'
      globalThis.loaded = []
      const { port1, port2 } = new MessageChannel()
      port1.on('message', (name) => globalThis.loaded.push(name)).unref()
      const code = 'let port; export function initialize(given) { port = given } export async function resolve(name, context, next) { const found = await next(name, context); port.postMessage(found.url); return found }'
      register('data:text/javascript,' + encodeURIComponent(code), { data: port2, transferList: [port2] })`
    const loaded = await run(
      `await new Promise((resolve) => setTimeout(resolve, 100))
       console.log(JSON.stringify(globalThis.loaded.filter((url) => url.includes('/node_modules/'))))`,
      '--import',
      `data:text/javascript,${encodeURIComponent(hook)}`,
    )
    expect(loaded).toEqual([])
  })
})

describe('a closed instance', () => {
  it('leaves no handle and no memory', async () => {
    const { handles, grown } = (await run(
      `const { get } = await import('node:http')
       // Not fetch: it keeps some 25 KB for each address that it ever reached.
       const read = (url, headers) => new Promise((resolve, reject) => {
         get(url, { agent: false, headers }, (answer) => answer.resume().on('end', resolve)).on('error', reject)
       })
       async function live() {
         // On a busy machine the usual three seconds are short.
         const post = await createLocalpost({ waitTimeoutMs: 30_000 })
         await post.listen()
         const { id } = await post.emails.send({ from: 'a@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'x'.repeat(100_000) })
         await post.inbox.waitFor('id:' + id)
         await read(post.url + '/v1/emails', { authorization: 'Bearer ' + post.apiKey })
         await post.close()
       }
       async function used() {
         for (let i = 0; i < 3; i++) { await new Promise((resolve) => setTimeout(resolve, 20)); globalThis.gc() }
         const { heapUsed, arrayBuffers } = process.memoryUsage()
         return heapUsed + arrayBuffers
       }
       for (let i = 0; i < 20; i++) await live()
       const before = await used()
       for (let i = 0; i < 40; i++) await live()
       const grown = (await used()) - before
       const handles = process.getActiveResourcesInfo().filter((name) => !/^(?:PipeWrap|TTYWrap|Immediate)$/.test(name))
       console.log(JSON.stringify({ handles, grown }))`,
      '--expose-gc',
    )) as { handles: string[]; grown: number }
    expect(handles).toEqual([])
    // Each held at least its message of 100 KB, twice.
    expect(grown).toBeLessThan(4_000_000)
  })

  it('that is still open does not keep the process alive where the option says so', async () => {
    const said = await run(
      `const post = await createLocalpost({ keepAlive: false, waitTimeoutMs: 30_000 })
       await post.listen()
       await post.emails.send({ from: 'a@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
       const mail = await post.inbox.waitFor({ to: 'ada@example.com' })
       await (await fetch(post.url + '/v1/emails', { headers: { authorization: 'Bearer ' + post.apiKey } })).text()
       console.log(JSON.stringify(mail.subject))`,
    )
    expect(said).toBe('Hi')
  })

  it('keeps the process alive for a pending close or answer', async () => {
    const said = await run(
      `const post = await createLocalpost({ keepAlive: false, rules: [{ match: '*', action: 'delay', delay_ms: 2000 }] })
       await post.faults.set({ http: [{ path: '/v1/**', delay_ms: 500, status: 503 }] })
       const { status } = await post.fetch(new Request('http://localpost/v1/emails'))
       await post.emails.send({ from: 'a@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
       await post.close()
       console.log(JSON.stringify({ status }))`,
    )
    expect(said).toEqual({ status: 503 })
  })
})
