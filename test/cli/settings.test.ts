import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseArguments } from '../../src/cli/arguments.ts'
import type { Settings } from '../../src/cli/settings.ts'
import { resolveSettings } from '../../src/cli/settings.ts'
import { misspeltVariables } from '../../src/options/variables.ts'
import { temporaryFolder } from '../support/folder.ts'

interface Given {
  flags?: string[]
  variables?: Record<string, string>
  /** By name, in the working directory. */
  files?: Record<string, string>
}

function settle(
  { flags = [], variables = {}, files = {} }: Given,
  cwd = temporaryFolder(),
): Promise<Settings> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  return resolveSettings(parseArguments(flags), variables, cwd)
}

describe('the settings', () => {
  it('use the customary ports, loopback and ./.localpost by default', async () => {
    expect(await settle({})).toEqual({
      port: 8025,
      quiet: false,
      options: { host: '127.0.0.1', smtpPort: 1025, dir: './.localpost' },
      warnings: [],
    })
  })

  it('prefer a flag to a variable, a variable to the file, the file to the default', async () => {
    const files = { 'localpost.config.json': '{ "port": 3, "smtpPort": 30, "host": "::1" }' }
    const variables = { LOCALPOST_PORT: '2', LOCALPOST_SMTP_PORT: '20' }
    const { port, options } = await settle({ flags: ['--port=1'], variables, files })
    expect({ port, ...options }).toEqual({ port: 1, smtpPort: 20, host: '::1', dir: './.localpost' })
  })

  it('read every kind of variable, and skip an empty one', async () => {
    const { quiet, options } = await settle({
      variables: {
        LOCALPOST_API_KEY: 'a, b',
        LOCALPOST_STRICT: '1',
        LOCALPOST_QUIET: 'TRUE',
        LOCALPOST_HOST: '',
      },
    })
    expect(quiet).toBe(true)
    expect(options).toMatchObject({ apiKeys: ['a', 'b'], strict: true, host: '127.0.0.1' })
  })

  it('let a flag turn off what a variable turned on', async () => {
    const { options } = await settle({ flags: ['--no-strict'], variables: { LOCALPOST_STRICT: '1' } })
    expect(options.strict).toBe(false)
  })

  it.each([
    ['localpost.config.json', '{ "pageSize": 7 }'],
    ['localpost.config.json', '\uFEFF{ "pageSize": 7 }'],
    ['localpost.config.mjs', 'export default { pageSize: 7, port: undefined }'],
    ['localpost.config.js', 'export default { pageSize: 7 }'],
  ])('read %s', async (name, text) => {
    const files = { 'package.json': '{ "type": "module" }', [name]: text }
    expect(await settle({ files })).toMatchObject({ port: 8025, options: { pageSize: 7 } })
  })

  it('read the file that --config or LOCALPOST_CONFIG names, with paths relative to its folder', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'etc'))
    const files = { 'etc/post.json': '{ "dir": "data", "attachments": { "root": "files" } }' }
    const expected = { dir: join(cwd, 'etc/data'), attachments: { root: join(cwd, 'etc/files') } }
    expect((await settle({ flags: ['--config=etc/post.json'], files }, cwd)).options).toMatchObject(expected)
    expect((await settle({ variables: { LOCALPOST_CONFIG: 'etc/post.json' } }, cwd)).options).toMatchObject(
      expected,
    )
  })

  it('keep everything in memory if the source with the highest precedence that sets either option says so', async () => {
    expect((await settle({ flags: ['--memory'] })).options.dir).toBeUndefined()
    const url = 'postgres://127.0.0.1/mail'
    const inDatabase = await settle({ flags: [`--store=${url}`], variables: { LOCALPOST_DIR: 'x' } })
    expect(inDatabase.options).toMatchObject({ store: url })
    expect(inDatabase.options.dir).toBeUndefined()
    const inFolder = await settle({ flags: ['--dir=x'], variables: { LOCALPOST_STORE: url } })
    expect(inFolder.options.store).toBeUndefined()
    expect(
      (await settle({ flags: ['--memory'], variables: { LOCALPOST_DIR: 'x' } })).options.dir,
    ).toBeUndefined()
    expect((await settle({ flags: ['--dir=x'], variables: { LOCALPOST_MEMORY: '1' } })).options.dir).toBe('x')
    expect((await settle({ flags: ['--no-memory'], variables: { LOCALPOST_MEMORY: '1' } })).options.dir).toBe(
      './.localpost',
    )
  })

  it('accept relayAll with a relay from another source', async () => {
    const given = { flags: ['--relay-all'], variables: { LOCALPOST_RELAY: 'smtp://mail.test' } }
    expect((await settle(given)).options).toMatchObject({ relayAll: true, relay: 'smtp://mail.test' })
  })

  it('warn about a variable that looks misspelt, not about one of another program', async () => {
    const { warnings } = await settle({ variables: { LOCALPOST_API_KEYS: 'a', LOCALPOST_URL: 'http://x' } })
    expect(warnings).toEqual([
      'LOCALPOST_API_KEYS is not a variable of Localpost. Did you mean LOCALPOST_API_KEY?',
    ])
    const names = ['LOCALPOST_SMPT_PORT', 'LOCALPOST_URI', 'LOCALPOST_WEATHER', 'OTHER_SMPT_PORT']
    const slips = misspeltVariables(Object.fromEntries(names.map((name) => [name, '1'])))
    expect(slips.map((text) => /Did you mean (\S+)\?$/.exec(text)?.[1])).toEqual([
      'LOCALPOST_SMTP_PORT',
      'LOCALPOST_URL',
    ])
  })

  it.each<[Given, string | RegExp]>([
    [
      { variables: { LOCALPOST_PORT: 'x' } },
      'LOCALPOST_PORT is "x"; it takes a port from 0 to 65535 (0: any free port).',
    ],
    [{ variables: { LOCALPOST_STRICT: 'yes' } }, 'LOCALPOST_STRICT is "yes"; it takes 1, true, 0 or false.'],
    [
      { variables: { LOCALPOST_API_KEY: 'a,,b' } },
      'LOCALPOST_API_KEY is ""; it takes a key of printable ASCII without spaces.',
    ],
    [{ flags: ['--config=none.json'] }, 'There is no configuration file none.json.'],
    [{ flags: ['--relay-all'] }, '--relay-all needs a relay: add --relay smtp://host:port.'],
    [
      { flags: ['--memory', '--dir=x'] },
      'A data folder, a database and memory exclude each other: give one of --dir, --store and --memory.',
    ],
    [
      { flags: ['--store=postgres://127.0.0.1/mail', '--dir=x'] },
      'A data folder, a database and memory exclude each other: give one of --dir, --store and --memory.',
    ],
    [
      { files: { 'localpost.config.json': '{ "smtpPrt": 1 }' } },
      'localpost.config.json: Unknown option "smtpPrt". Did you mean "smtpPort"?',
    ],
    [
      { files: { 'localpost.config.json': '{ "pot": 1 }' } },
      'localpost.config.json: Unknown option "pot". Did you mean "port"?',
    ],
    [
      { variables: { LOCALPOST_RELAY: 'user:hunter2@host:587' } },
      'LOCALPOST_RELAY takes a URL such as smtp://user:password@host:587.',
    ],
    [
      { files: { 'localpost.config.json': '{ "apiKeys": ["hunter 2"] }' } },
      'localpost.config.json: Option "apiKeys" takes an array of keys without spaces.',
    ],
    [
      { files: { 'localpost.config.json': '{ "port": "1" }' } },
      'localpost.config.json: Option "port" is "1"; it takes a port from 0 to 65535 (0: any free port).',
    ],
    [
      { files: { 'localpost.config.json': '{ "strict": 1 }' } },
      'localpost.config.json: Option "strict" is 1; it takes true or false.',
    ],
    [
      { files: { 'localpost.config.json': '{ "quiet": 1 }' } },
      'localpost.config.json: Option "quiet" is 1; it takes true or false.',
    ],
    [
      { files: { 'localpost.config.json': '{ "dns": { "region": "" } }' } },
      /^localpost\.config\.json: Option "dns\.region" is ""/,
    ],
    [
      { files: { 'localpost.config.json': '{\n  "port": 1\n  "host": "x"\n}' } },
      /^localpost\.config\.json is not JSON: .* at line 3, column 3\.$/,
    ],
    [
      { files: { 'localpost.config.json': '{' } },
      /^localpost\.config\.json is not JSON: .* at line 1, column 2\.$/,
    ],
    [{ files: { 'localpost.config.json': '[]' } }, 'localpost.config.json must give an object of options.'],
    [{ flags: ['--port=1025'] }, /^--port and --smtp-port are both 1025\. Give each a port of its own; /],
    [{ flags: ['--port=2525', '--smtp-port=2525'] }, /^--port and --smtp-port are both 2525\./],
    [
      { flags: ['--port=2525'], variables: { LOCALPOST_SMTP_PORT: '2525' } },
      /^--port and --smtp-port are both 2525\./,
    ],
    [{ flags: ['--smtps-port=8025'] }, /^--port and --smtps-port are both 8025\./],
    [{ flags: ['--smtp-port=2525', '--smtps-port=2525'] }, /^--smtp-port and --smtps-port are both 2525\./],
    [
      { files: { 'localpost.config.mjs': 'export const port = 1' } },
      'localpost.config.mjs must give an object of options as its default export.',
    ],
    [
      { files: { 'localpost.config.mjs': 'throw new Error("boom")' } },
      'localpost.config.mjs cannot be read: boom',
    ],
  ])('refuse %j', async (given, message) => {
    const wanted = typeof message === 'string' ? message : expect.stringMatching(message)
    await expect(settle(given)).rejects.toMatchObject({ code: 'invalid_option', message: wanted })
  })
})

describe('the variables of Mailpit', () => {
  it('set the options of the same meaning, after our own variables', async () => {
    const variables = {
      MP_UI_BIND_ADDR: '[::]:9025',
      MP_SMTP_BIND_ADDR: '[::]:2025',
      MP_MAX_MESSAGES: '5000',
      MP_MAX_AGE: '3d',
      MP_DATABASE: '/data/mailpit.db',
      MP_SMTP_AUTH_ACCEPT_ANY: '1',
      MP_ENABLE_SPAMASSASSIN: '127.0.0.1:783',
      MP_SMTP_RELAY_HOST: 'mail.example.com',
      MP_SMTP_RELAY_USERNAME: 'a@b',
      MP_SMTP_RELAY_PASSWORD: 'c/d',
      MP_DISABLE_VERSION_CHECK: 'true',
      MP_QUIET: 'yes',
      LOCALPOST_SMTP_PORT: '30',
    }
    const { port, quiet, options, warnings } = await settle({ variables })
    expect({ port, quiet, ...options }).toEqual({
      port: 9025,
      quiet: true,
      smtpPort: 30,
      host: '::',
      maxEmails: 5000,
      maxAgeMs: 259_200_000,
      dir: join('/data', 'localpost'),
      checks: { spamd: '127.0.0.1:783' },
      relay: 'smtp://a%40b:c%2Fd@mail.example.com:25',
    })
    expect(warnings).toEqual([expect.stringContaining('MP_DATABASE is read as --dir')])
  })

  it.each([
    ['another option says where data is', { MP_DATABASE: '/mail/mailpit.db', LOCALPOST_DIR: '/data' }],
    ['data is in memory', { MP_DATA_FILE: '/mail/mailpit.db', LOCALPOST_MEMORY: 'true' }],
    ['it is the URL of a database', { MP_DATABASE: 'http://rqlite:4001' }],
  ])('do not name a folder where %s, and a warning says so', async (_, variables) => {
    const { options, warnings } = await settle({ variables })
    expect(JSON.stringify(options)).not.toMatch(/mail\/localpost|rqlite/)
    expect(warnings).toEqual([expect.stringMatching(/^MP_\w+ is not read: /)])
  })

  it.each([
    ['MP_UI_AUTH', 'a:b', 'localpost user add'],
    ['MP_SMTP_TLS_CERT', '/cert.pem', '--tls-cert'],
    ['MP_CHAOS_TRIGGERS', 'Sender:451:5', 'PUT /api/v1/chaos'],
    ['MP_ENABLE_SPAMASSASSIN', 'postmark', '--spamd'],
    ['MP_SMTP_RELAY_RETURN_PATH', 'a@b.test', 'is not read'],
    ['MP_TAGS_CONFIG', '/tags.yml', 'from-mailpit.md'],
  ])('%s is not read, and a warning says what to use', async (name, value, reason) => {
    const { warnings } = await settle({ variables: { [name]: value } })
    expect(warnings).toEqual([expect.stringContaining(reason)])
    expect(warnings[0]).toContain(name)
  })

  it('are refused with their name where the value is wrong, and ignored where they are empty or of another program', async () => {
    await expect(settle({ variables: { MP_MAX_MESSAGES: 'many' } })).rejects.toThrow('MP_MAX_MESSAGES')
    await expect(settle({ variables: { MP_UI_BIND_ADDR: 'here' } })).rejects.toThrow('MP_UI_BIND_ADDR')
    const variables = { MP_MAX_MESSAGES: '0', MP_LABEL: '', MP_SMTP_REQUIRE_TLS: 'false', MP_RANK: '3' }
    expect(await settle({ variables })).toMatchObject({ warnings: [] })
  })
})
