import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createLocalpost, type Localpost } from '../src/index.ts'
import { makeProject, type Project } from './project.ts'
import { root, run, runAll } from './run.ts'

let post: Localpost
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  post = await createLocalpost({ waitTimeoutMs: 20_000 })
  const { url } = await post.listen()
  env = { POSTMARK_HOST: `${new URL(url).host}/postmark`, LOCALPOST_API_KEY: post.apiKey }
})
afterAll(() => post?.close())

function results(output: string): Record<string, unknown> {
  const lines = output.trim().split('\n')
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]))
}

describe('postmark 5.1.0', () => {
  let project: Project

  beforeAll(async () => {
    const program = readFileSync(join(root, 'test-all/providers/postmark.mjs'), 'utf8')
    const packages = ['postmark@5.1.0', 'vitest@4.1.12', inject('tarball')]
    project = await makeProject({ 'postmark.mjs': program }, packages)
  })
  afterAll(() => project?.remove())

  const steps = async (...names: string[]): Promise<Record<string, unknown>> =>
    results(await run('node', ['postmark.mjs', ...names], { cwd: project.dir, env }))

  it('sends, lists, and sees outcomes', async () => {
    expect(await steps('send', 'batch', 'list')).toEqual({
      send: {
        to: 'Ada <ada@example.com>, bob@example.com',
        code: [0, 'OK'],
        status: 'Sent',
        attachments: ['a.txt', 'logo.png'],
        metadata: { order: '17' },
        tracked: [true, 'HtmlOnly'],
        events: ['Delivered', 'Delivered', 'Delivered', 'Delivered'],
        dump: true,
      },
      batch: [
        [0, 'string'],
        [300, 'undefined'],
        [0, 'string'],
      ],
      list: [3, 3, 2, 1, 1],
    })
    const found = await post.inbox.waitFor({ subject: 'All' })
    const files = found.attachments.map(async ({ index, filename, content_id }) => {
      const { content } = await post.inbox.attachment(found.id, index)
      return `${filename} ${content_id}: ${Buffer.from(content).toString()}`
    })
    expect((await Promise.all(files)).sort()).toEqual(['a.txt null: text', 'logo.png logo.png: png'])
    expect([found.tags, new Map(found.headers).get('X-Order')]).toEqual([['welcome'], '17'])
  })

  it('creates templates, and sends from them', async () => {
    expect((await steps('templates'))['templates']).toEqual({
      got: [true, 'Hi {{name}}', 'welcome'],
      changed: 'Hello',
      listed: [1, 'Hello'],
      text: 'A B ',
      each: [0, 1101],
      checked: [false, 'Ada', false],
      removed: 0,
      gone: 'ApiInputError 422 1101',
      wrong: 'ApiInputError 422 1122',
    })
    await post.inbox.waitFor({ subject: 'Hi Bob' })
  })

  it('has webhooks, bounces and suppressions', async () => {
    expect(await steps('webhooks', 'suppressions')).toEqual({
      webhooks: {
        triggers: [
          [true, false],
          [true, true],
        ],
        event: ['Bounce', 'HardBounce', 1, true, { order: '18' }, 'Basic dXNlcjpwYXNz', 'yes'],
        bounce: [true, 'hardbounce@bounce-testing.postmarkapp.com', true],
        dump: true,
        listed: [1, true],
        stats: [
          ['All', 1],
          ['Hard bounce', 1],
        ],
        hooks: 1,
        removed: 0,
        activated: 'OK',
      },
      suppressions: {
        added: 'Suppressed',
        listed: [1, 'ManualSuppression'],
        recipients: ['gone@example.com'],
        partly: true,
        removed: 'Deleted',
      },
    })
  })

  it('gets errors of its own kinds', async () => {
    expect((await steps('errors'))['errors']).toEqual({
      address: 'InvalidEmailRequestError 422 300',
      empty: 'InvalidEmailRequestError 422 300',
      key: 'InvalidAPIKeyError 401 10',
      message: 'ApiInputError 422 701',
      bounce: 'ApiInputError 422 1001',
      count: 'ApiInputError 422 1000',
      bulk: 'UnknownError 501 12',
      streams: 'UnknownError 501 12',
      stats: 'UnknownError 501 12',
      server: 1,
    })
  })

  it('runs the programs of its page in `docs`', async () => {
    const page = readFileSync(join(root, 'docs/providers/postmark.md'), 'utf8')
    const [program = '', test = ''] = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, code = '']) => code)
    const own = program.replace('127.0.0.1:8025', new URL(post.url ?? '').host)
    expect(own).not.toBe(program)
    writeFileSync(join(project.dir, 'page.mjs'), own)
    const id = (await run('node', ['page.mjs'], { cwd: project.dir, env })).trim()
    expect(id).toMatch(/^[\da-f-]{36}$/)
    expect((await post.inbox.waitFor({ subject: 'Sign in' })).codes).toEqual(['482913'])
    writeFileSync(join(project.dir, 'page.test.mjs'), test)
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=60000', 'page.test.mjs']
    expect(await runAll('node', vitest, { cwd: project.dir })).toMatch(/Tests +1 passed/)
  })
})

it('django-anymail 15.2: its backend and its webhooks', async () => {
  const dir = join(homedir(), '.cache/localpost-test-all/python-postmark')
  mkdirSync(dir, { recursive: true })
  const python = join(dir, 'venv/bin/python')
  await run('python3', ['-m', 'venv', 'venv'], { cwd: dir })
  const packages = ['Django==5.2.19', 'django-anymail[postmark]==15.2']
  await run(python, ['-m', 'pip', 'install', '--quiet', ...packages], { cwd: dir })
  const port = await freePort()
  await post.suppressions.add({ address: 'gone@example.com' })
  await post.templates.put('merge', { subject: '{{name}} at {{shop}}', text: 'x', engine: 'mustachio' })
  const hook = await post.webhooks.create({
    url: `http://127.0.0.1:${port}/`,
    shape: 'postmark',
    shape_events: ['Delivery', 'Bounce', 'SpamComplaint', 'SubscriptionChange'],
    headers: { authorization: `Basic ${Buffer.from('user:pass').toString('base64')}` },
  })
  const output = await run(python, [join(root, 'test-all/providers/postmark.py')], {
    cwd: dir,
    env: { ...env, RECEIVER_PORT: String(port) },
  })
  await post.webhooks.remove(hook.id)
  for (const name of ['Ada', 'Bob']) await post.inbox.waitFor({ subject: `${name} at Acme` })
  const bounced = 'hardbounce@bounce-testing.postmarkapp.com'
  const complained = 'complaint@simulator.localpost'
  expect(results(output)).toEqual({
    sending: {
      one: {
        'ada@example.com': 'sent',
        'bob@example.com': 'sent',
        'carl@example.com': 'sent',
        'dora@example.com': 'sent',
      },
      each: { 'ada@example.com': 'sent', 'bob@example.com': 'sent' },
      ids: 2,
      templated: { 'ada@example.com': 'sent', 'bob@example.com': 'sent' },
    },
    errors: {
      illegal: { 'nobody@-': 'invalid' },
      inactive: { 'gone@example.com': 'rejected' },
      partly: { 'ada@example.com': 'sent', 'gone@example.com': 'rejected' },
      metadata: 422,
    },
    events: [
      ['bounced', true, bounced, 'bounced'],
      ['bounced', true, bounced, 'bounced'],
      ['complained', true, complained, 'spam'],
      ['complained', true, complained, 'spam'],
      ['delivered', true, complained, ''],
    ],
  })
})

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('A server without a port.')
  return address.port
}
