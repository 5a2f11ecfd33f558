import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalpost, type Localpost } from '../src/index.ts'
import { makeProject, type Project } from './project.ts'
import { root, run } from './run.ts'
import { pythonWith } from './tools.ts'

let post: Localpost
let env: Record<string, string>
beforeAll(async () => {
  post = await createLocalpost({ waitTimeoutMs: 20_000 })
  const { url } = await post.listen()
  env = { MAILGUN_API_URL: `${url}/mailgun`, MAILGUN_API_KEY: post.apiKey }
})
afterAll(() => post?.close())

function results(output: string): Record<string, unknown> {
  const lines = output.trim().split('\n')
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]))
}

const messageId = expect.stringMatching(/^<[\da-f]{32}@acme\.test>$/) as string

describe('mailgun.js 14.0.1', () => {
  let project: Project
  const steps = async (...names: string[]): Promise<Record<string, unknown>> =>
    results(await run('node', ['mailgun.mjs', ...names], { cwd: project.dir, env }))

  beforeAll(async () => {
    const program = readFileSync(join(root, 'test-all/providers/mailgun.mjs'), 'utf8')
    project = await makeProject({ 'mailgun.mjs': program }, ['mailgun.js@14.0.1'])
  })
  afterAll(() => project?.remove())

  it('sends every parameter', async () => {
    expect(await steps('send')).toEqual({
      send: {
        status: 200,
        message: 'Queued. Thank you.',
        event: 'delivered',
        isSame: true,
        tags: ['welcome', 'first'],
        variables: { order: '17' },
        flags: expect.objectContaining({ 'is-test-mode': true }) as object,
      },
    })
    const found = await post.inbox.waitFor({ subject: 'Hello' })
    const files = found.attachments.map(async ({ index, filename, content_id }) => {
      const { content } = await post.inbox.attachment(found.id, index)
      return `${filename} ${content_id}: ${Buffer.from(content).toString()}`
    })
    expect((await Promise.all(files)).sort()).toEqual([
      'bytes.txt null: bytes',
      'logo.png logo.png: png',
      'text.txt null: text',
    ])
    const headers = new Map(found.headers)
    expect([headers.get('X-Order'), headers.get('Reply-To')]).toEqual(['17', 'help@acme.test'])
  })

  it('sends messages, batches and later ones', async () => {
    expect(await steps('mime', 'batch', 'scheduled')).toEqual({
      mime: 200,
      batch: ['Hi Ada', 'Hi Bob'],
      scheduled: 0,
    })
    expect((await post.sending.scheduled.list()).count).toBe(1)
  })

  it('sees bounces, and pages of events', async () => {
    expect(await steps('bounce')).toEqual({
      bounce: ['failed', 'permanent', 'bounce', 'bounce@simulator.localpost', 550, '5.1.1', 'Hello'],
      pages: [1, 1, false, true],
    })
  })

  it('manages suppressions and domains', async () => {
    const { suppressions, domains } = await steps('suppressions', 'domains')
    expect(suppressions).toEqual(
      Object.fromEntries(
        [
          ['bounces', 'Bounced address has been removed'],
          ['complaints', 'Spam complaint has been removed'],
          ['unsubscribes', 'Unsubscribe event has been removed'],
        ].map(([type, removed]) => [
          type,
          [
            expect.stringMatching(/added to the|addresses have been/) as string,
            `${type}@example.com`,
            true,
            1,
            0,
            removed,
            `404 Address not found in ${type} table`,
          ],
        ]),
      ),
    )
    expect(domains).toEqual([
      'unverified',
      true,
      ['MX', 'TXT', 'TXT', 'TXT'],
      'Domain has been deleted',
      expect.stringMatching(/^404 /) as string,
    ])
  })

  it('manages templates, and sends from them', async () => {
    expect((await steps('templates'))['templates']).toEqual({
      created: ['welcome', 'New people', true],
      version: 'new version of the template has been stored',
      active: 'v2',
      versions: [
        ['initial', false],
        ['v2', true],
      ],
      html: '<p>Hi Ada</p><i>1</i><i>2</i>',
      listed: ['welcome'],
      removed: 'template has been deleted',
    })
  })

  it('gets errors of each kind', async () => {
    expect((await steps('errors'))['errors']).toEqual({
      missing: "400 'text' parameter is missing: give text, html or template.",
      address: expect.stringMatching(/^400 'to' parameter must be an address/) as string,
      option: expect.stringMatching(/^400 'o:time-zone-localize' parameter is not supported/) as string,
      domain: '404 Domain not found: "no_domain"',
      key: expect.stringMatching(/^401 There is no API key /) as string,
      unsupported: '501 Mailing lists: Localpost does not have this operation of the API.',
    })
  })

  it('gets webhooks that it can verify', async () => {
    expect((await steps('webhooks'))['webhooks']).toEqual({
      urls: 1,
      listed: ['accepted', 'permanent_fail'],
      signed: [true, true],
      data: [
        ['accepted', null, 'bounce@simulator.localpost', ['hook'], { order: '17' }, true],
        ['failed', 'permanent', 'bounce@simulator.localpost', ['hook'], { order: '17' }, true],
      ],
      left: {},
    })
  })

  it('runs the program of its page in `docs`', async () => {
    const page = readFileSync(join(root, 'docs/providers/mailgun.md'), 'utf8')
    const [, program = ''] = /```js\n([^]*?)```/.exec(page) ?? []
    const own = program.replace('http://127.0.0.1:8025', post.url ?? '')
    expect(own).not.toBe(program)
    writeFileSync(join(project.dir, 'page.mjs'), own)
    const output = await run('node', ['page.mjs'], {
      cwd: project.dir,
      env: { LOCALPOST_API_KEY: post.apiKey },
    })
    expect(output.trim()).toEqual(messageId)
    expect((await post.inbox.waitFor({ subject: 'Sign in' })).codes).toEqual(['482913'])
  })
})

describe('Python', () => {
  let bin: string
  beforeAll(async () => {
    bin = await pythonWith('mailgun', ['mailgun==1.10.0', 'Django==5.2.19', 'django-anymail==15.2'])
  })
  const python = async (
    name: string,
    args: readonly string[],
    more: object = {},
    input = '',
  ): Promise<unknown> => {
    const program = join(root, 'test-all/providers', name)
    const given = { cwd: bin, env: { ...env, ...more }, input }
    return results(await run(join(bin, 'python'), [program, ...args], given))
  }

  it('mailgun 1.10.0', async () => {
    expect(await python('mailgun_sdk.py', [])).toEqual({
      send: [200, 'Queued. Thank you.'],
      events: ['delivered', ['one', 'two']],
      bounces: [200, 'gone@example.com', 200],
      error: [400, true],
    })
  })

  it('django-anymail 15.2, and its webhooks', async () => {
    const received: string[] = []
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        received.push(body)
        response.end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const url = `http://127.0.0.1:${port}/`
    const hook = await post.webhooks.create({ url, shape: 'mailgun', shape_events: ['delivered'] })
    const more = { SIGNING_KEY: hook.secret }
    const sent = await python('mailgun_anymail.py', ['send', 'merge', 'error'], more)
    expect(sent).toEqual({ send: [true, messageId], merge: messageId, error: 400 })
    // The webhooks of several emails come in any order.
    const ofFirst = (): string => received.find((body) => body.includes('"tags":["welcome"]')) ?? ''
    await expect.poll(ofFirst, { timeout: 10_000 }).not.toBe('')
    await post.webhooks.remove(hook.id)
    server.closeAllConnections()
    server.close()
    const waiting = async (): Promise<number> => (await post.inbox.list({ query: 'status:sent' })).count
    await expect.poll(waiting, { timeout: 10_000 }).toBe(0)
    const mail = await post.inbox.waitFor({ subject: 'Anymail' })
    const headers = new Map(mail.headers)
    expect([
      headers.get('X-Order'),
      headers.get('Reply-To'),
      mail.attachments[0]?.filename,
      mail.metadata,
    ]).toEqual(['17', 'help@acme.test, sales@acme.test', 'ü.txt', { order: '17' }])
    const merged = await post.inbox.waitFor({ subject: 'Hi Bob' })
    expect([merged.metadata, merged.text, new Map(merged.headers).get('X-ID')]).toEqual([
      { id: '2' },
      'Dear Bob',
      '2',
    ])
    const { 'event-data': event } = JSON.parse(ofFirst()) as { 'event-data': { recipient: string } }
    expect(await python('mailgun_anymail.py', ['webhook'], more, ofFirst())).toEqual({
      webhook: [
        200,
        [['delivered', null, event.recipient, ['welcome'], { order: '17' }, mail.provider?.message_id]],
        'AnymailWebhookValidationFailure',
      ],
    })
  })
})
