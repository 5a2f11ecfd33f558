import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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
  env = { SENDGRID_URL: `${url}/sendgrid`, LOCALPOST_API_KEY: post.apiKey }
})
afterAll(() => post?.close())

function results(output: string): Record<string, unknown> {
  const lines = output.trim().split('\n')
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]))
}

const matching = (pattern: RegExp): string => expect.stringMatching(pattern) as string

describe('@sendgrid/mail 8.1.6, @sendgrid/client 8.1.6 and @sendgrid/eventwebhook 8.0.0', () => {
  let project: Project
  const steps = async (...names: string[]): Promise<Record<string, unknown>> =>
    results(await run('node', ['sendgrid.mjs', ...names], { cwd: project.dir, env }))

  beforeAll(async () => {
    const program = readFileSync(join(root, 'test-all/providers/sendgrid.mjs'), 'utf8')
    project = await makeProject({ 'sendgrid.mjs': program }, [
      '@sendgrid/client@8.1.6',
      '@sendgrid/eventwebhook@8.0.0',
      '@sendgrid/mail@8.1.6',
      'vitest@4.1.12',
      inject('tarball'),
    ])
  })
  afterAll(() => project?.remove())

  it('sends every member', async () => {
    expect(await steps('send')).toEqual({ send: [202, '', true] })
    const found = await post.inbox.waitFor({ subject: 'Hello' })
    expect(found).toMatchObject({
      from: 'Acme <hi@acme.test>',
      to: ['ada@example.com', 'bob@example.com'],
      to_names: ['Ada', 'Bob'],
      cc: ['carl@example.com'],
      tags: ['welcome'],
      reply_to: 'Help <help@acme.test>, sales@acme.test',
      tracking: { opens: false, clicks: false },
    })
    expect(found.envelope.rcpt_to).toContain('dora@example.com')
    const files = found.attachments.map(async ({ index, filename, content_id }) => {
      const { content } = await post.inbox.attachment(found.id, index)
      return `${filename} ${content_id}: ${Buffer.from(content).toString()}`
    })
    expect((await Promise.all(files)).sort()).toEqual(['a.txt null: bytes', 'logo.png logo: png'])
    expect(new Map(found.headers).get('X-Order')).toBe('17')
  })

  it('sends several emails in one call', async () => {
    expect(await steps('several')).toEqual({ several: [202, 202] })
    const one = await post.inbox.waitFor({ subject: 'Hi Ada' })
    expect([one.to, one.text.trim()]).toEqual([['ada@example.com'], 'Hi Ada, welcome'])
    const other = await post.inbox.waitFor({ subject: 'Hi Bob' })
    expect(other.to).toEqual(['bob@example.com', 'carl@example.com'])
    expect((await post.inbox.list({ query: 'subject:Many' })).count).toBe(2)
  })

  it('schedules, cancels, and uses the sandbox', async () => {
    const { count } = await post.inbox.list()
    expect(await steps('scheduled', 'sandbox')).toEqual({ scheduled: [201, 'cancel'], sandbox: 200 })
    expect((await post.sending.scheduled.list()).items.map(({ subject }) => subject)).toEqual(['Later'])
    expect((await post.inbox.list()).count).toBe(count)
  })

  it('makes dynamic templates and sends with them', async () => {
    expect(await steps('templates')).toEqual({
      templates: {
        versions: [
          ['First', 1],
          ['Second', 0],
        ],
        listed: ['Welcome'],
        removed: [204, 204],
        gone: matching(/^404 null: /),
      },
    })
    // As SendGrid does, whose subjects are escaped like HTML.
    const mail = await post.inbox.waitFor({ subject: 'Hi Ada &amp; Bob' })
    expect(mail.html).toContain('<b>a</b><b>b</b>')
    await post.inbox.waitFor({ subject: 'Bye Ada' })
    await post.inbox.waitFor({ subject: 'Again Ada' })
  })

  it('gets errors of its own kinds', async () => {
    expect(await steps('errors')).toEqual({
      errors: {
        address: matching(
          /^400 personalizations\.0\.to\.0\.email: Does not contain a valid address\. "nobody"/,
        ),
        subject: matching(/^400 subject: The subject of your email must be a string at least one character/),
        content: matching(/^400 content: The content param is required/),
        template: matching(/^400 template_id: /),
        scheduled: matching(/^400 personalizations\.0\.send_at: Scheduling more than 72 hours/),
        attachment: matching(/^400 attachments\.0\.content: /),
        unsupported: matching(/^501 null: The activity of emails/),
        unknown: matching(/^404 null: /),
      },
      key: matching(/^401 null: There is no API key /),
    })
  })

  it('verifies webhooks', async () => {
    expect(await steps('webhooks')).toEqual({
      webhooks: {
        verified: [true, true],
        forged: [false, false],
        events: ['bounce', 'processed'],
        bounce: ['bounce@simulator.localpost', 'bounce', '5.1.1', '17', ['welcome']],
        id: true,
        removed: 204,
      },
    })
  })

  it('reads the account and the suppressions', async () => {
    expect(await steps('account')).toEqual({
      account: {
        scopes: true,
        company: '',
        listed: ['gone@example.com'],
        bounces: [],
        gone: matching(/^404 null: /),
      },
    })
  })

  it('runs the programs of its page in `docs`', async () => {
    const page = readFileSync(join(root, 'docs/providers/sendgrid.md'), 'utf8')
    const [program = '', test = ''] = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, code = '']) => code)
    const own = program.replace('http://127.0.0.1:8025', post.url ?? '')
    expect(own).not.toBe(program)
    writeFileSync(join(project.dir, 'page.mjs'), own)
    expect((await run('node', ['page.mjs'], { cwd: project.dir, env })).trim()).toMatch(/^[\w-]{22}$/)
    expect((await post.inbox.waitFor({ subject: 'Sign in' })).codes).toEqual(['482913'])
    writeFileSync(join(project.dir, 'page.test.mjs'), test)
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=60000', 'page.test.mjs']
    expect(await runAll('node', vitest, { cwd: project.dir })).toMatch(/Tests +1 passed/)
  })
})

it('sendgrid of Python, and django-anymail', async () => {
  const dir = join(homedir(), '.cache/localpost-test-all/python-sendgrid')
  mkdirSync(dir, { recursive: true })
  const python = join(dir, 'venv/bin/python')
  await run('python3', ['-m', 'venv', 'venv'], { cwd: dir })
  const packages = ['sendgrid==6.12.5', 'Django==5.2.19', 'django-anymail[sendgrid]==15.2']
  await run(python, ['-m', 'pip', 'install', '--quiet', ...packages], { cwd: dir })
  const program = join(root, 'test-all/providers/sendgrid-python.py')
  expect(results(await run(python, [program], { cwd: dir, env }))).toEqual({
    sdk: [202, 22, [400, 'personalizations.0.to.0.email'], true],
    anymail: {
      status: ['queued'],
      codes: [200, 200],
      verified: [true, true],
      events: [
        [
          'bounced',
          'bounce@simulator.localpost',
          ['welcome'],
          expect.objectContaining({ order: '17' }),
          true,
        ],
        ['delivered', 'ada@example.com', ['welcome'], expect.objectContaining({ order: '17' }), true],
      ],
    },
  })
  const mail = await post.inbox.waitFor({ subject: 'Django' })
  expect(mail.metadata).toMatchObject({ order: '17' })
  expect((await post.inbox.list({ query: 'subject:Python' })).count).toBe(2)
})
