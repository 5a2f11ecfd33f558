import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openOverSocket, type Face } from './_face.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasPrograms } from '../support/programs.ts'

const guide = readFileSync(new URL('../../docs/guides/proxies.md', import.meta.url), 'utf8')
const host = 'mail.example.test'

/** The block of the guide in a language. */
function blockOf(language: string): string {
  const [, block = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]+?)\`\`\``).exec(guide) ?? []
  return block
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

interface Asked {
  status: number
  body: string
  cookie: string
}

/** Sends a request with a given Host; reads the first chunk of the answer only, for one that never ends. */
function ask(port: number, path: string, headers: Record<string, string>, body?: string): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
      const done = (piece = ''): void => {
        resolve({ status: response.statusCode ?? 0, body: piece, cookie })
        sent.destroy()
      }
      response.setEncoding('utf8').once('data', done).once('end', done)
    })
    sent.on('error', reject).end(body)
  })
}

/** Starts a proxy until the end of the test, and waits until it answers. */
async function startProxy(program: string, args: readonly string[], port: number): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said}`)
    const answered = await ask(port, '/', { host }).catch(() => null)
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function startNginx(server: string, port: number): Promise<void> {
  const folder = temporaryFolder()
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  const text = `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr;
    events {} http { access_log off; ${paths} ${server} }`
  writeFileSync(join(folder, 'nginx.conf'), text)
  await startProxy('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], port)
}

async function startHaproxy(config: string, port: number): Promise<void> {
  const path = join(temporaryFolder(), 'haproxy.cfg')
  writeFileSync(path, config)
  await startProxy('haproxy', ['-db', '-f', path], port)
}

const portOf = ({ base }: Face): string => new URL(base).port

/** The promises of the guide for a proxy with its set-up. */
async function assertGuarded(port: number, { post }: Face): Promise<void> {
  for (const name of [host, `localhost:${port}`]) {
    for (const path of ['/dev/keys', '/dev/inbox', '/dev/events'])
      expect([name, path, (await ask(port, path, { host: name })).status]).toEqual([name, path, 401])
  }
  const key = { authorization: `Bearer ${post.apiKey}` }
  expect((await ask(port, '/dev/inbox', { host, ...key })).status).toBe(200)
  expect((await ask(port, '/', { host })).status).toBe(200)
  const signIn = JSON.stringify({ key: post.apiKey })
  const page = { host, origin: `http://${host}`, 'content-type': 'application/json' }
  const { cookie, status } = await ask(port, '/dev/session', page, signIn)
  expect(status).toBeLessThan(300)
  expect(cookie).toMatch(/^localpost_session_\d+=\S+$/)
  expect((await ask(port, '/dev/inbox', { host, cookie })).status).toBe(200)
  const live = await ask(port, '/dev/events', { host, cookie })
  expect([live.status, live.body.length > 0]).toEqual([200, true])
  const foreign = await ask(port, '/dev/session', { ...page, origin: 'http://other.test' }, signIn)
  expect(foreign.status).toBe(403)
  expect((await ask(port, '/dev/inbox', { host: 'other.test', ...key })).status).toBe(403)
}

const nginx = hasPrograms('the set-up of nginx', ['nginx'])
describe('behind nginx', () => {
  test.runIf(nginx)('with the set-up of the guide, every client needs a key and the page works', async () => {
    const [face, port] = [await openOverSocket({ allowHosts: [host] }), await freePort()]
    const block = blockOf('nginx')
    expect(block).toContain('listen 80;')
    const server = block
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace(':8025', `:${portOf(face)}`)
    await startNginx(server, port)
    await assertGuarded(port, face)
  })

  test.runIf(nginx)('with its defaults, every client counts as local, unless requireKey is on', async () => {
    for (const [requireKey, status] of [
      [false, 200],
      [true, 401],
    ] as const) {
      const [face, port] = [await openOverSocket({ requireKey }), await freePort()]
      const pass = `location / { proxy_pass http://127.0.0.1:${portOf(face)}; }`
      await startNginx(`server { listen 127.0.0.1:${port}; ${pass} }`, port)
      expect((await ask(port, '/dev/inbox', { host })).status).toBe(status)
    }
  })
})

const haproxy = hasPrograms('the set-up of HAProxy', ['haproxy'])
describe('behind HAProxy', () => {
  const configFor = (face: Face, port: number): string =>
    blockOf('haproxy')
      .replace('bind :80', `bind 127.0.0.1:${port}`)
      .replace(':8025', `:${portOf(face)}`)

  test.runIf(haproxy)(
    'with the set-up of the guide, every client needs a key and the page works',
    async () => {
      const [face, port] = [await openOverSocket({ allowHosts: [host] }), await freePort()]
      await startHaproxy(configFor(face, port), port)
      await assertGuarded(port, face)
    },
  )

  test.runIf(haproxy)(
    'without headers, a request to localhost is local, unless requireKey is on',
    async () => {
      for (const [requireKey, status] of [
        [false, 200],
        [true, 401],
      ] as const) {
        const [face, port] = [await openOverSocket({ requireKey }), await freePort()]
        const plain = configFor(face, port).replace(/^ *(?:option forwardfor|http-request).*$/gm, '')
        await startHaproxy(plain, port)
        expect((await ask(port, '/dev/inbox', { host: 'localhost' })).status).toBe(status)
        expect((await ask(port, '/dev/inbox', { host })).status).toBe(403)
      }
    },
  )
})
