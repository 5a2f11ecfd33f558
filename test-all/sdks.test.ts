import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createLocalpost, type Localpost } from '../src/index.ts'
import { makeProject, type Project } from './project.ts'
import { root, run, runAll } from './run.ts'
import { pythonWith } from './tools.ts'

/** Runs the steps of a program of `providers/` and returns what each of them showed. */
type Steps = (...names: string[]) => Promise<Record<string, unknown>>

describe('resend 6.38.0', () => {
  let post: Localpost
  let project: Project
  let steps: Steps

  beforeAll(async () => {
    const program = readFileSync(join(root, 'test-all/providers/resend.mjs'), 'utf8')
    project = await makeProject({ 'resend.mjs': program }, [
      'resend@6.38.0',
      'vitest@4.1.12',
      inject('tarball'),
    ])
    post = await createLocalpost({ waitTimeoutMs: 20_000 })
    const { url } = await post.listen()
    steps = async (...names) => {
      const env = { RESEND_BASE_URL: `${url}/resend`, LOCALPOST_API_KEY: post.apiKey }
      const lines = (await run('node', ['resend.mjs', ...names], { cwd: project.dir, env }))
        .trim()
        .split('\n')
      return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]))
    }
  })
  afterAll(async () => {
    await post?.close()
    project?.remove()
  })

  it('sends every member', async () => {
    const { send } = await steps('send')
    expect(send).toEqual({
      object: 'email',
      id: true,
      created: true,
      message_id: expect.stringMatching(/^<.+@acme\.test>$/) as string,
      from: 'Acme <hi@acme.test>',
      to: ['ada@example.com', 'bob@example.com'],
      cc: ['carl@example.com'],
      bcc: ['dora@example.com'],
      reply_to: ['help@acme.test', 'sales@acme.test'],
      subject: 'Hello',
      html: '<p>It works.</p><img src="cid:logo">',
      text: 'It works.',
      tags: [{ name: 'category', value: 'welcome' }],
      last_event: 'delivered',
      scheduled_at: null,
    })
    const found = await post.inbox.waitFor({ subject: 'Hello' })
    const files = found.attachments.map(async ({ index, filename, content_id }) => {
      const { content } = await post.inbox.attachment(found.id, index)
      return `${filename} ${content_id}: ${Buffer.from(content).toString()}`
    })
    expect((await Promise.all(files)).sort()).toEqual([
      'base64.txt null: base64',
      'bytes.txt null: bytes',
      'logo.png logo: png',
      'path.txt null: path',
    ])
    expect(new Map(found.headers).get('X-Order')).toBe('17')
  })

  it('repeats, sends batches, and pages', async () => {
    const { idempotency, batch, list } = await steps('idempotency', 'batch', 'list')
    expect(idempotency).toEqual([true, 409, 'invalid_idempotent_request'])
    expect(batch).toEqual({
      all: 2,
      strict: {
        statusCode: 422,
        name: 'validation_error',
        message: expect.stringContaining('`[2].to`') as string,
      },
      permissive: [2, [{ index: 1, message: expect.stringContaining('`to`') as string }]],
    })
    expect(list).toEqual([true, [1, 2], [0, 1]])
  })

  it('sees the outcomes of the test addresses', async () => {
    const { outcomes } = await steps('outcomes')
    const names = ['delivered', 'bounced', 'complained', 'suppressed']
    expect(outcomes).toEqual(Object.fromEntries(names.map((name) => [name, name])))
  })

  it('pages the lists of domains and webhooks', async () => {
    const { pages } = await steps('pages')
    const expected = { first: [0, 1, true], after: [1, true], end: [false], before: [1, true] }
    expect(pages).toEqual({ domains: expected, webhooks: expected })
  })

  it('manages domains', async () => {
    expect((await steps('domains'))['domains']).toEqual({
      created: ['not_started', true, ['DKIM TXT', 'SPF MX', 'SPF TXT']],
      listed: true,
      got: ['domain', 'mail.acme.test'],
      changed: [true, false],
      removed: true,
    })
  })

  it('stores templates and sends from them', async () => {
    expect((await steps('templates'))['templates']).toEqual({
      got: [true, 'published', ['PRODUCT', 'PRICE']],
      sent: ['Order of Tea', '<p>Tea: 25</p>'],
      missing: expect.stringMatching(/^422 validation_error: .*template\.variables\.PRODUCT/) as string,
      listed: ['draft', 'published'],
      left: 0,
    })
  })

  it('gets errors of its own kinds', async () => {
    expect((await steps('errors'))['errors']).toEqual({
      missing: '422 missing_required_field: Invalid `subject` field: is missing.',
      address: expect.stringMatching(/^422 validation_error: Invalid `to` field: .*"nobody"/) as string,
      attachment: '422 invalid_attachment: Invalid `attachments[0]` field: must have either content or path.',
      key: expect.stringMatching(/^403 invalid_api_key: There is no API key /) as string,
      unknown: expect.stringMatching(/^404 not_found: There is no email "49a3999c/) as string,
      unsupported: '501 application_error: Broadcasts: Localpost does not have this operation of the API.',
      topic: expect.stringMatching(
        /^422 validation_error: Invalid `topic_id` field: is not supported/,
      ) as string,
    })
  })

  it('verifies webhooks', async () => {
    expect((await steps('webhooks'))['webhooks']).toEqual({
      got: [true, ['email.bounced', 'email.suppressed'], 'enabled'],
      changed: ['disabled', ['email.bounced']],
      listed: 1,
      types: ['email.bounced', 'email.suppressed'],
      data: [
        true,
        ['bounced@resend.dev'],
        { order: '17' },
        { type: 'Permanent', subType: 'General', message: expect.stringContaining('5.1.1') as string },
      ],
      left: 0,
    })
  })

  it('runs the programs of its page in `docs`', async () => {
    const page = readFileSync(join(root, 'docs/providers/resend.md'), 'utf8')
    const [program = '', test = ''] = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, code = '']) => code)
    const own = program.replace('http://127.0.0.1:8025', post.url ?? '')
    expect(own).not.toBe(program)
    writeFileSync(join(project.dir, 'page.mjs'), own)
    const env = { LOCALPOST_API_KEY: post.apiKey }
    const id = (await run('node', ['page.mjs'], { cwd: project.dir, env })).trim()
    expect(id).toMatch(/^[\da-f-]{36}$/)
    expect((await post.inbox.waitFor({ subject: 'Sign in' })).codes).toEqual(['482913'])
    writeFileSync(join(project.dir, 'page.test.mjs'), test)
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=60000', 'page.test.mjs']
    expect(await runAll('node', vitest, { cwd: project.dir })).toMatch(/Tests +1 passed/)
  })
})

it('resend 2.52.0 for Python, and the backend and webhooks of django-anymail', async () => {
  const packages = ['resend==2.52.0', 'Django==5.2.19', 'django-anymail[resend]==15.2']
  const bin = await pythonWith('resend', packages)
  const post = await createLocalpost({ waitTimeoutMs: 20_000 })
  try {
    const { url } = await post.listen()
    const env = { RESEND_API_URL: `${url}/resend`, LOCALPOST_API_KEY: post.apiKey }
    const output = await run(join(bin, 'python'), [join(root, 'test-all/providers/resend-python.py')], {
      cwd: root,
      env,
    })
    const lines = output.trim().split('\n')
    expect(Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]))).toEqual({
      send: {
        got: ['Python', ['ada@example.com'], ['help@acme.test']],
        again: true,
        batch: 2,
        listed: [1, true],
      },
      schedule: [true, 'scheduled', true, ['ResendError', 404, 'not_found']],
      errors: {
        missing: ['MissingRequiredFieldsError', 422, 'missing_required_field'],
        address: ['ValidationError', 422, 'validation_error'],
        unsupported: ['ResendError', 501, 'application_error'],
        key: ['InvalidApiKeyError', 403, 'invalid_api_key'],
      },
      anymail: {
        refused: 422,
        answers: [200],
        forged: 'refused',
        events: [
          ['bounced', true, 'bounced@resend.dev', 'other'],
          ['sent', true, 'a@example.com', null],
          ['sent', true, 'b@example.com', null],
          ['sent', true, 'bounced@resend.dev', null],
        ],
      },
    })
  } finally {
    await post.close()
  }
})
