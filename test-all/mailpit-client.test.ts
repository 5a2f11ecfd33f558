import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLocalpost, type Localpost } from '../src/index.ts'
import { makeProject, type Project } from './project.ts'
import { root, run } from './run.ts'

let post: Localpost
let project: Project
beforeAll(async () => {
  const program = readFileSync(join(root, 'test-all/providers/mailpit.mjs'), 'utf8')
  project = await makeProject({ 'mailpit.mjs': program }, ['mailpit-api@2.1.0'])
  post = await createLocalpost({ requireKey: true })
  await post.listen()
})
afterAll(async () => {
  await post?.close()
  project?.remove()
})

it('the client mailpit-api 2.1.0 uses every method', async () => {
  const env = { MAILPIT_URL: post.url ?? '', LOCALPOST_API_KEY: post.apiKey }
  const lines = (await run('node', ['mailpit.mjs'], { cwd: project.dir, env })).trim().split('\n')
  const off = { ErrorCode: 451, Probability: 0 }
  const html = '<p style="display:flex">Hello <a href="http://127.0.0.1:1/">x</a></p>'
  expect(Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]))).toEqual({
    waitForMessage: true,
    getMessageSummary: [
      { Name: 'Acme', Address: 'a@acme.test' },
      [{ Name: 'Ada', Address: 'ada@example.com' }],
      ['welcome'],
      'dot.png',
    ],
    getMessageAttachment: [70, 70],
    getAttachmentThumbnail: 'image/png',
    getMessageHeaders: ['17'],
    getMessageSource: true,
    renderMessageHTML: html,
    renderMessageText: 'Hello',
    htmlCheck: ['css-display', 'css-display-flex'],
    linkCheck: [['http://127.0.0.1:1/', 0]],
    spamAssassinCheck: false,
    releaseMessage: expect.stringContaining('No relay is configured') as string,
    waitForMessages: 4,
    listMessages: ['Number 1', 'Number 0'],
    setReadStatus: [4, 'ok', 4],
    setTags: ['one', 'two'],
    renameTag: [['two', 'uno'], 'ok', ['two']],
    setChaosTriggers: {
      Sender: { ErrorCode: 451, Probability: 5 },
      Recipient: off,
      Authentication: { ErrorCode: 535, Probability: 0 },
    },
    getChaosTriggers: off,
    getInfo: [4, 'string'],
    getConfiguration: false,
    deleteMessagesBySearch: ['ok', 3],
    deleteMessages: ['ok', 2, 'ok', 0],
    error: expect.stringMatching(/^Mailpit API Error: 404 .*There is no mail "none"/) as string,
  })
})

/** The types of the client's answers, by the requests that have them; `{id}` is a mail with everything. */
const types: readonly (readonly [request: string, type: string])[] = [
  ['GET /api/v1/info', 'MailpitInfoResponse'],
  ['GET /api/v1/webui', 'MailpitConfigurationResponse'],
  ['GET /api/v1/messages', 'MailpitMessagesSummaryResponse'],
  ['GET /api/v1/search?query=subject:Types', 'MailpitMessagesSummaryResponse'],
  ['GET /api/v1/message/{id}', 'MailpitMessageSummaryResponse'],
  ['GET /api/v1/message/{id}/headers', 'MailpitMessageHeadersResponse'],
  ['GET /api/v1/message/{id}/html-check', 'HtmlCheck'],
  ['GET /api/v1/message/{id}/link-check', 'MailpitLinkCheckResponse'],
  ['GET /api/v1/message/{id}/sa-check', 'MailpitSpamAssassinResponse'],
  ['GET /api/v1/tags', 'string[]'],
  ['GET /api/v1/chaos', 'MailpitChaosTriggersResponse'],
  ['PUT /api/v1/chaos', 'MailpitChaosTriggersResponse'],
  ['POST /api/v1/send', 'MailpitSendMessageConfirmationResponse'],
  ['GET /api/v1/message/{id}/raw', 'string'],
  ['GET /view/{id}.html', 'string'],
  ['GET /view/{id}.txt', 'string'],
  ['PUT /api/v1/messages', 'string'],
  ['PUT /api/v1/tags', 'string'],
  ['PUT /api/v1/tags/{tag}', 'string'],
  ['DELETE /api/v1/tags/{tag}', 'string'],
  ['DELETE /api/v1/search?query=subject:None', 'string'],
  ['DELETE /api/v1/messages', 'string'],
]

/** The other operations: the program above calls them. */
const withoutType = [
  'GET /api/v1/message/{id}/part/{part}',
  'GET /api/v1/message/{id}/part/{part}/thumb',
  'POST /api/v1/message/{id}/release',
  'GET /api/events',
]

it('each operation has a type of the client, or none', () => {
  const page = readFileSync(join(root, 'docs/providers/mailpit.md'), 'utf8')
  const operations = [...page.matchAll(/^\| `([A-Z]+ \/\S+)` \|/gm)].map(([, operation = '']) => operation)
  const covered = types.map(([request]) => request.replace(/\?.*/, ''))
  expect([...covered, ...withoutType].sort()).toEqual(operations.sort())
})

it('every answer has the members that the client declares, and no other', async () => {
  const mail = {
    From: { Email: 'a@acme.test', Name: 'Acme' },
    To: [{ Email: 'ada@example.com', Name: 'Ada' }],
    Cc: [{ Email: 'cc@example.com' }],
    Bcc: ['bcc@example.com'],
    ReplyTo: [{ Email: 'help@example.com' }],
    Subject: 'Types',
    HTML: '<p style="display:flex">Hi <a href="http://127.0.0.1:1/">x</a><img src="cid:b"></p>',
    Text: 'Hi',
    Tags: ['one'],
    Headers: { 'List-Unsubscribe': '<https://example.com/u>' },
    Attachments: [
      { Content: 'YQ==', Filename: 'a.txt', ContentType: 'text/plain' },
      { Content: 'YQ==', Filename: 'b.png', ContentType: 'image/png', ContentID: 'b' },
    ],
  }
  const call = async (request: string, body?: unknown): Promise<string> => {
    const [method = '', path = ''] = request.split(' ')
    const headers = { authorization: `Bearer ${post.apiKey}` }
    const answer = await fetch(`${post.url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    expect(answer.status, `${request}: ${text}`).toBe(200)
    return text
  }
  const { ID } = JSON.parse(await call('POST /api/v1/send', mail)) as { ID: string }
  await post.inbox.waitFor({ subject: 'Types' })
  const bodyOf = (request: string, id: string): unknown => {
    const [method, path = ''] = request.split(' ')
    if (method === 'POST') return mail
    if (path === '/api/v1/tags/{tag}') return method === 'PUT' ? { Name: 'one' } : undefined
    if (path === '/api/v1/tags' && method === 'PUT') return { IDs: [id], Tags: ['one'] }
    if (path === '/api/v1/messages' && method !== 'GET')
      return { IDs: [id], ...(method === 'PUT' && { Read: true }) }
    return method === 'PUT' ? {} : undefined
  }
  const lines: string[] = []
  for (const [at, [request, type]] of types.entries()) {
    const text = await call(request.replace('{id}', ID).replace('{tag}', 'one'), bodyOf(request, ID))
    const answer = type === 'string' ? JSON.stringify(text) : text
    lines.push(
      `// ${request}`,
      `export const answer${at}: All<${type.replace(/^Mailpit/, 'mailpit.$&')}> = ${answer}`,
    )
  }
  const source = [
    "import type * as mailpit from 'mailpit-api'",
    // The client declares arrays of one text, which Mailpit has not either.
    "type HtmlCheck = Omit<mailpit.MailpitHTMLCheckResponse, 'Platforms'> & { Platforms: Record<string, string[]> }",
    // Members that the client calls optional are there too.
    'type All<T> = T extends object ? { [K in keyof T]-?: All<T[K]> } : T',
    ...lines,
  ].join('\n')
  writeFileSync(join(project.dir, 'answers.ts'), source)
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck']
  const lib = ['--lib', 'es2022,dom']
  await run(join(root, 'node_modules/.bin/tsc'), [...options, ...lib, 'answers.ts'], { cwd: project.dir })
  // No other list is empty, so that each member of what they list is looked at.
  const empty = [...source.matchAll(/"(\w+)":\[\]/g)].map(([, name]) => name)
  const warnings = [...source.matchAll(/"Slug":/g)].map(() => 'Tags')
  expect(empty).toEqual(warnings)
  // It finds what it looks for.
  writeFileSync(join(project.dir, 'wrong.ts'), source.replace('"Snippet"', '"Snip"'))
  const wrong = run(join(root, 'node_modules/.bin/tsc'), [...options, ...lib, 'wrong.ts'], {
    cwd: project.dir,
  })
  await expect(wrong).rejects.toThrow(/Snip/)
})
