import { readFileSync } from 'node:fs'
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
  const env = { MAILPIT_URL: post.url ?? '', LOCALPOST_KEY: post.apiKey }
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
