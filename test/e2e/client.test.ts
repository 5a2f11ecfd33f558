import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createContext, runInContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalpost, type Localpost } from '../../src/index.ts'
import { browser } from './context.ts'

/** An app for the browser: it sends, waits for the delivery, reads, walks a list and meets errors. */
const app = `
import { createClient, LocalpostError } from 'localpost/client'

globalThis.run = async (url, apiKey) => {
  const client = createClient({ url, apiKey, timeoutMs: 10_000 })
  const mail = { from: 'Zoë <hi@acme.test>', to: 'ada@example.com', subject: 'Grüße 👋', text: 'Hallo, schöne Welt' }
  const { id } = await client.emails.send(mail, { idempotencyKey: 'once' })
  const again = await client.emails.send(mail, { idempotencyKey: 'once' })
  let email = await client.emails.get(id)
  while (email.last_event.status !== 'delivered') {
    await new Promise((done) => setTimeout(done, 20))
    email = await client.emails.get(id)
  }
  const { items, count } = await client.emails.list()
  const domain = await client.domains.create({ name: 'bücher.example' })
  const codeOf = (call) => call.then(() => 'none', (error) => error instanceof LocalpostError && error.code)
  const stopped = AbortSignal.abort(new Error('stopped'))
  return JSON.stringify({
    same: again.id === id,
    subject: email.subject,
    text: email.text,
    listed: [count, items[0].id === id],
    domain: (await client.domains.get(domain.id)).name,
    errors: [
      await codeOf(client.emails.get('em_none')),
      await codeOf(client.emails.send({ ...mail, to: '' })),
      await codeOf(createClient({ url, apiKey: 'wrong' }).emails.list()),
      await codeOf(createClient({ url, apiKey, timeoutMs: 50 }).audiences.list()),
    ],
    stopped: await client.emails.list({ signal: stopped }).catch((error) => error.message),
    // Globals of Node that a browser does not have.
    absent: [typeof Buffer, typeof process, typeof require, typeof global],
  })
}
`
const outcome = {
  same: true,
  subject: 'Grüße 👋',
  text: 'Hallo, schöne Welt',
  listed: [1, true],
  domain: 'xn--bcher-kva.example',
  errors: ['not_found', 'validation_error', 'invalid_api_key', 'request_timeout'],
  stopped: 'stopped',
  absent: ['undefined', 'undefined', 'undefined', 'undefined'],
}

/** The app with the package in it, as one script without imports. */
let script: string
let dir: string
const closers: (() => unknown)[] = []

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'localpost-browser-app-'))
  closers.push(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'node_modules'))
  symlinkSync(resolve(import.meta.dirname, '../..'), join(dir, 'node_modules/localpost'))
  writeFileSync(join(dir, 'app.js'), app)
  const warnings: string[] = []
  const build = await rolldown({
    input: join(dir, 'app.js'),
    platform: 'browser',
    onLog: (_, { message }) => void warnings.push(message),
  })
  const { output } = await build.generate({ format: 'iife' })
  await build.close()
  expect([output.length, warnings]).toEqual([1, []])
  script = output[0].code
})
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function start(): Promise<Localpost> {
  const post = await createLocalpost()
  closers.push(() => post.close())
  await post.faults.set({ http: [{ path: '/v1/audiences', delay_ms: 60_000 }] })
  return post
}

/** Serves the app, and forwards its API requests, as the development server of an app does. */
async function serve(post: Localpost): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.url === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8').end('<script src="/app.js"></script>')
    } else if (request.url === '/app.js') {
      response.setHeader('content-type', 'text/javascript; charset=utf-8').end(script)
    } else {
      const url = new URL(request.url ?? '/', 'http://localpost')
      const { method = 'GET', headers } = request
      const body = method === 'GET' ? {} : { body: await buffer(request) }
      const answer = await post.fetch(new Request(url, { method, headers: headers as HeadersInit, ...body }))
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body) Readable.fromWeb(answer.body as never).pipe(response)
      else response.end()
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('localpost/client', () => {
  it('contains no Node modules', () => {
    expect(script).toContain('request_timeout')
    const lines = script.split('\n').filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line))
    const nodes = /(?<!typeof )\bBuffer\b|\bprocess[.[]|\bsetImmediate\b|\brequire\(|node:|__dirname/
    expect(lines.filter((line) => nodes.test(line))).toEqual([])
  })

  it('sends, waits and reads in Chromium', async () => {
    const post = await start()
    const url = await serve(post)
    const page = await browser.context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(url)
    const run = `globalThis.run(${JSON.stringify(url)}, ${JSON.stringify(post.apiKey)})`
    expect(JSON.parse(await page.evaluate<string>(run))).toEqual(outcome)
    expect(faults).toEqual([])
    const { items } = await post.inbox.list()
    expect(items).toMatchObject([{ subject: outcome.subject, to: ['ada@example.com'] }])
  })

  it('sends, waits and reads with the globals of the web only, as in edge runtimes', async () => {
    const post = await start()
    const { Request, Response, Headers, URL, AbortSignal, AbortController, TextEncoder, TextDecoder } =
      globalThis
    const web = { Request, Response, Headers, URL, AbortSignal, AbortController, TextEncoder, TextDecoder }
    const context = createContext({ ...web, setTimeout, clearTimeout, fetch: post.fetch })
    runInContext(script, context)
    const run = `run('http://localpost', ${JSON.stringify(post.apiKey)})`
    expect(JSON.parse(await (runInContext(run, context) as Promise<string>))).toEqual(outcome)
  })
})
