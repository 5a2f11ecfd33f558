import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLocalpost, type Localpost } from '../src/index.ts'
import { makeProject, type Project } from './project.ts'
import { root, run } from './run.ts'

let post: Localpost
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  post = await createLocalpost()
  const { url } = await post.listen()
  env = {
    AWS_ENDPOINT_URL_SESV2: `${url}/ses`,
    AWS_ENDPOINT_URL_SES: `${url}/ses-v1`,
    AWS_ACCESS_KEY_ID: post.apiKey,
    AWS_SECRET_ACCESS_KEY: 'any',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
  }
})
afterAll(() => post?.close())

function results(output: string): Record<string, unknown> {
  const lines = output.trim().split('\n')
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]))
}

const messageId = expect.stringMatching(/^0100[\da-f]{12}-[\da-f-]{36}-000000$/) as string

it('@aws-sdk/client-sesv2 and the SES transport of nodemailer', async () => {
  const program = readFileSync(join(root, 'test-all/providers/ses.mjs'), 'utf8')
  const project: Project = await makeProject({ 'ses.mjs': program }, [
    '@aws-sdk/client-sesv2@3.1176.0',
    'nodemailer@7.0.13',
  ])
  try {
    const steps = ['send', 'nodemailer', 'templates', 'identities', 'suppression', 'errors']
    expect(results(await run('node', ['ses.mjs', ...steps], { cwd: project.dir, env }))).toEqual({
      send: messageId,
      nodemailer: messageId,
      templates: {
        got: 'Hi {{name}}!',
        listed: [['hi', true]],
        rendered: 'Subject: Hi Ada!\r\n\r\nx',
        bulk: ['SUCCESS', 'SUCCESS'],
      },
      identities: {
        created: ['DOMAIN', 'NOT_STARTED', 1],
        got: 'NOT_STARTED',
        listed: true,
        refused: '400 MessageRejected',
        again: '400 AlreadyExistsException',
        address: ['EMAIL_ADDRESS', true],
        gone: '404 NotFoundException',
      },
      suppression: { got: ['COMPLAINT', true], listed: ['gone@example.com'], gone: '404 NotFoundException' },
      errors: {
        quota: -1,
        address: '400 BadRequestException',
        template: '404 NotFoundException',
        tenant: '400 BadRequestException',
        sets: '501 UnknownOperationException',
      },
    })
  } finally {
    project.remove()
  }
  const all = await post.inbox.waitFor({ subject: 'All' })
  const files = all.attachments.map(async ({ index, filename, content_id }) => {
    const { content } = await post.inbox.attachment(all.id, index)
    return `${filename} ${content_id}: ${Buffer.from(content).toString()}`
  })
  expect((await Promise.all(files)).sort()).toEqual(['a.txt null: bytes', 'logo.png logo: png'])
  expect(all.metadata).toEqual({ order: '17' })
  const mailer = await post.inbox.waitFor({ subject: 'Mailer' })
  expect(mailer.envelope.rcpt_to).toEqual(['ada@example.com', 'eve@example.com'])
})

it('boto3, and the webhooks of django-anymail', async () => {
  const dir = join(homedir(), '.cache/localpost-test-all/python-ses')
  mkdirSync(dir, { recursive: true })
  const python = join(dir, 'venv/bin/python')
  await run('python3', ['-m', 'venv', 'venv'], { cwd: dir })
  const packages = ['boto3==1.44.8', 'Django==5.2.19', 'django-anymail[amazon-ses]==15.2']
  await run(python, ['-m', 'pip', 'install', '--quiet', ...packages], { cwd: dir })
  const port = await freePort()
  const hook = await post.webhooks.create({ url: `http://127.0.0.1:${port}/`, shape: 'ses' })
  const names = ['version 1', 'version 2', 'events']
  const output = await run(python, [join(root, 'test-all/providers/ses.py')], {
    cwd: dir,
    env: { ...env, RECEIVER_PORT: String(port) },
  })
  await post.webhooks.remove(hook.id)
  expect(Object.keys(results(output))).toEqual(names)
  expect(results(output)).toEqual({
    'version 1': {
      sent: messageId,
      quota: expect.any(Number) as number,
      address: 'InvalidParameterValue',
      unsupported: 'InvalidAction',
    },
    'version 2': { sent: messageId, missing: 'NotFoundException' },
    events: [
      ['bounced', true, 'bounce@simulator.amazonses.com', 'bounced'],
      ['complained', true, 'complaint@simulator.amazonses.com', 'spam'],
      ['delivered', true, 'complaint@simulator.amazonses.com', null],
      ['sent', true, 'bounce@simulator.amazonses.com', null],
      ['sent', true, 'complaint@simulator.amazonses.com', null],
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
