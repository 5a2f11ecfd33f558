import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { createLocalpost, type Localpost } from '../src/index.ts'
import { makeProject, type Project } from './project.ts'
import { root, run, runAll } from './run.ts'

let post: Localpost
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  post = await createLocalpost({ waitTimeoutMs: 20_000 })
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

/** The programs of a page of `docs`, which call this server. */
function programsOf(name: string, language: string): string[] {
  const page = readFileSync(join(root, `docs/providers/${name}.md`), 'utf8')
  const blocks = page.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))
  return [...blocks].map(([, code = '']) => code.replace('http://127.0.0.1:8025', post.url ?? ''))
}

const messageId = expect.stringMatching(/^0100[\da-f]{12}-[\da-f-]{36}-000000$/) as string

it('@aws-sdk/client-sesv2 and the SES transport of nodemailer', async () => {
  const program = readFileSync(join(root, 'test-all/providers/ses.mjs'), 'utf8')
  const project: Project = await makeProject({ 'ses.mjs': program }, [
    '@aws-sdk/client-sesv2@3.1176.0',
    'nodemailer@7.0.13',
    'vitest@4.1.12',
    inject('tarball'),
  ])
  try {
    const steps = ['send', 'nodemailer', 'templates', 'identities', 'suppression', 'errors', 'sets']
    const { id } = await post.webhooks.create({ url: 'http://127.0.0.1:9/', shape: 'ses' })
    const own = {
      ...env,
      LOCALPOST_API_KEY: post.apiKey,
      TOPIC_ARN: `arn:aws:sns:us-east-1:000000000000:${id}`,
    }
    expect(results(await run('node', ['ses.mjs', ...steps], { cwd: project.dir, env: own }))).toEqual({
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
        set: '404 NotFoundException',
        lists: '501 UnknownOperationException',
      },
      sets: {
        again: '400 AlreadyExistsException',
        destinations: [['sns', 'BOUNCE', 'COMPLAINT']],
        got: 'shop',
        listed: ['shop'],
        sent: messageId,
        gone: '404 NotFoundException',
      },
    })
    await post.webhooks.remove(id)
    const [page = '', test = ''] = programsOf('ses', 'js')
    writeFileSync(join(project.dir, 'page.mjs'), page)
    expect((await run('node', ['page.mjs'], { cwd: project.dir, env: own })).trim()).toEqual(messageId)
    expect((await post.inbox.waitFor({ subject: 'Sign in' })).codes).toEqual(['482913'])
    writeFileSync(join(project.dir, 'page.test.mjs'), test)
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=60000', 'page.test.mjs']
    expect(await runAll('node', vitest, { cwd: project.dir })).toMatch(/Tests +1 passed/)
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
  const [page = ''] = programsOf('ses-v1', 'python')
  await post.inbox.removeAll()
  await run(python, ['-c', page], { cwd: dir, env: { ...env, LOCALPOST_API_KEY: post.apiKey } })
  expect((await post.inbox.waitFor({ subject: 'Sign in' })).codes).toEqual(['482913'])
  const names = ['version 1', 'version 2', 'confirmed', 'events']
  const output = await run(python, [join(root, 'test-all/providers/ses.py')], {
    cwd: dir,
    env: { ...env, LOCALPOST_URL: post.url ?? '' },
  })
  expect(Object.keys(results(output))).toEqual(names)
  expect(results(output)).toEqual({
    'version 1': {
      sent: messageId,
      quota: expect.any(Number) as number,
      address: 'InvalidParameterValue',
      unsupported: 'InvalidAction',
    },
    'version 2': { sent: messageId, missing: 'NotFoundException' },
    confirmed: [200, true],
    events: [
      ['bounced', true, 'bounce@simulator.amazonses.com', 'bounced'],
      ['complained', true, 'complaint@simulator.amazonses.com', 'spam'],
      ['delivered', true, 'complaint@simulator.amazonses.com', null],
      ['sent', true, 'bounce@simulator.amazonses.com', null],
      ['sent', true, 'complaint@simulator.amazonses.com', null],
    ],
  })
})
