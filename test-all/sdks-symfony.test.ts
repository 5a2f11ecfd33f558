import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createLocalpost } from '../src/index.ts'
import { hasPrograms } from '../test/support/programs.ts'
import { root, run } from './run.ts'

/** By the table of docs/guides/providers.md; their transports of SMTP always connect to the host of the provider. */
const dsns = [
  'ses+api://KEY:secret@ses.localpost?region=us-east-1',
  'ses+https://KEY:secret@ses.localpost?region=us-east-1',
  'mailgun+api://KEY:acme.test@mailgun.localpost',
  'mailgun+https://KEY:acme.test@mailgun.localpost',
  'postmark+api://KEY@postmark.localpost',
  'sendgrid+api://KEY@sendgrid.localpost',
]
/** Those that send tags and metadata. */
const withTags = ['mailgun+api', 'postmark+api', 'sendgrid+api']

const php = '/usr/share/php/Symfony/Component'
const isThere = hasPrograms("Symfony's bridges", [
  'php',
  `${php}/HttpClient/autoload.php`,
  `${php}/Mailer/autoload.php`,
  `${php}/Mailer/Bridge/Amazon/autoload.php`,
  `${php}/Mailer/Bridge/Mailgun/autoload.php`,
  `${php}/Mailer/Bridge/Postmark/autoload.php`,
  `${php}/Mailer/Bridge/Sendgrid/autoload.php`,
])

const guide = readFileSync(join(root, 'docs/guides/providers.md'), 'utf8')

/** The client that the guide shows, for this address. */
function clientFor(url: string): string {
  const [, client = ''] = /```php\n([^]*?)```/.exec(guide) ?? []
  const own = client.replace('http://127.0.0.1:8025', url)
  expect(own).not.toBe(client)
  return `<?php\n${own}`
}

function temporary(name: string): string {
  const dir = mkdtempSync(join(tmpdir(), name))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

it.skipIf(!isThere)("Symfony's bridges send by the client of the guide", async () => {
  const post = await createLocalpost({ waitTimeoutMs: 20_000 })
  onTestFinished(() => post.close())
  const { url } = await post.listen()
  const dir = temporary('localpost-symfony-')
  writeFileSync(join(dir, 'client.php'), clientFor(url))
  for (const dsn of dsns) expect(guide).toContain(`\`${dsn.split(':')[0]}://`)
  const env = { DSNS: JSON.stringify(dsns), KEY: post.apiKey }
  const program = join(root, 'test-all/providers/symfony.php')
  const output = await run('php', [program, join(dir, 'client.php')], { cwd: dir, env })
  const results = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, string])
  const names = dsns.map((dsn) => dsn.slice(0, dsn.indexOf(':')))
  expect(results.map(([name]) => name)).toEqual(names.flatMap((name) => [name, `${name}, error`]))
  for (const [name, text] of results) {
    if (name.endsWith('error')) {
      expect(text).toContain('There is no API key')
      continue
    }
    const mail = await post.inbox.waitFor({ subject: `Hello by ${name}` })
    expect(mail, name).toMatchObject({
      from: expect.stringMatching(/^"?Acme"? <hi@acme\.test>$/) as string,
      to: ['ada@example.com', 'bob@example.com'],
      cc: ['carl@example.com'],
      codes: ['482913'],
      html: expect.stringContaining('<p>Your code is 482913</p>') as string,
      attachments: [{ filename: 'bytes.txt' }],
      provider: { message_id: text },
    })
    expect(new Map(mail.headers).get('Reply-To'), name).toBe('help@acme.test')
    if (!withTags.includes(name)) continue
    expect(mail, name).toMatchObject({ tags: ['welcome'], metadata: { order: '17' } })
  }
})

const isAppThere =
  isThere &&
  hasPrograms("Symfony's kernel", [
    '/usr/share/php/Symfony/Bundle/FrameworkBundle/autoload.php',
    `${php}/Dotenv/autoload.php`,
    `${php}/Yaml/autoload.php`,
  ])

/** What the guide says in words for `config/services.yaml`. */
const decoration = "App\\LocalpostClient: { decorates: http_client, arguments: ['@.inner'] }"

it.skipIf(!isAppThere).each(dsns)('an app of Symfony sends by the MAILER_DSN %s', async (dsn) => {
  const post = await createLocalpost({ waitTimeoutMs: 20_000 })
  onTestFinished(() => post.close())
  const { url } = await post.listen()
  expect(guide).toContain(`\`${decoration}\``)
  const dir = temporary('localpost-symfony-app-')
  const files = {
    '.env': `APP_ENV=dev\nMAILER_DSN='${dsn.replace('KEY', post.apiKey)}'\n`,
    'config/packages/framework.yaml': [
      'framework:',
      '  secret: test',
      '  http_client: ~',
      "  mailer: { dsn: '%env(MAILER_DSN)%' }",
    ],
    'config/services.yaml': [
      'services:',
      '  sign_up: { class: SignUp, autowire: true, public: true }',
      'when@dev:',
      '  services:',
      `    ${decoration}`,
    ],
    'src/LocalpostClient.php': clientFor(url),
  }
  for (const folder of ['config/packages', 'src']) mkdirSync(join(dir, folder), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), [text].flat().join('\n'))
  const program = join(root, 'test-all/providers/symfony-app.php')
  expect(await run('php', [program, dir], { cwd: dir })).toBe('sent\n')
  const [name = ''] = dsn.split(/[+:]/)
  expect(await post.inbox.waitFor({ to: 'ada@example.com' })).toMatchObject({
    from: expect.stringMatching(/^"?Acme"? <hi@acme\.test>$/) as string,
    subject: 'Hello from the app',
    codes: ['482913'],
    html: expect.stringContaining('<p>Your code is 482913</p>') as string,
    provider: { name },
  })
})
