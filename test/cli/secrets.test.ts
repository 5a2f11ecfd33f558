import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findCommand, parseArguments } from '../../src/cli/arguments.ts'
import { connect } from '../../src/cli/remote.ts'
import { readSecretFile } from '../../src/cli/secret-file.ts'
import { resolveSettings, type Settings } from '../../src/cli/settings.ts'
import { temporaryFolder } from '../support/folder.ts'

interface Given {
  flags?: string[]
  variables?: Record<string, string>
  files?: Record<string, string | Uint8Array>
}

function folderWith(files: Given['files'] = {}): string {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'etc'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text, { mode: 0o600 })
  return cwd
}

function settle({ flags = [], variables = {}, files }: Given): Promise<Settings> {
  const cwd = folderWith(files)
  const here = (text: string): string => text.replace('./', `${cwd}/`)
  const named = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, here(value)]))
  return resolveSettings(parseArguments(flags.map(here)), named, cwd)
}

const isPosix = process.platform !== 'win32'

describe('a file of API keys', () => {
  const files = { keys: '  one \r\n\n two\n', 'etc/post.json': '{ "apiKeyFile": "../keys" }' }

  it.each<[string, Given]>([
    ['a flag', { flags: ['--api-key-file=./keys'] }],
    ['a variable', { variables: { LOCALPOST_API_KEY_FILE: './keys' } }],
    ['the configuration file, from its folder', { flags: ['--config=./etc/post.json'] }],
  ])('is named by %s; each line is a key', async (_, given) => {
    const { options, warnings } = await settle({ ...given, files })
    expect(options.apiKeys).toEqual(['one', 'two'])
    expect(options).not.toHaveProperty('apiKeyFile')
    expect(warnings).toEqual([])
  })

  it('has the same precedence as the other keys: the strongest source that sets either is used', async () => {
    const keysOf = async (given: Given): Promise<string[] | undefined> =>
      (await settle({ files, ...given })).options.apiKeys
    const both = { flags: ['--api-key=three', '--api-key-file=./keys'] }
    expect(await keysOf(both)).toEqual(['three', 'one', 'two'])
    const variable = { LOCALPOST_API_KEY: 'three' }
    expect(await keysOf({ flags: ['--api-key-file=./keys'], variables: variable })).toEqual(['one', 'two'])
    const file = { LOCALPOST_API_KEY_FILE: './missing' }
    expect(await keysOf({ flags: ['--api-key=three'], variables: file })).toEqual(['three'])
  })

  it('also provides the key for export and import', async () => {
    const cwd = folderWith(files)
    const keys = join(cwd, 'keys')
    for (const [raw, variables] of [
      [['--api-key-file', keys], { LOCALPOST_API_KEY: 'other' }],
      [[], { LOCALPOST_API_KEY_FILE: keys, LOCALPOST_RELAY_PASSWORD_FILE: join(cwd, 'missing') }],
    ] as const) {
      const { command, rest } = findCommand(['export', ...raw, '--url=http://127.0.0.1:1'])
      const remote = await connect(parseArguments(rest, command), variables, { warn() {} })
      expect(remote.url).toBe('http://127.0.0.1:1')
    }
    const { command, rest } = findCommand(['export', '--api-key-file=missing'])
    await expect(connect(parseArguments(rest, command), {}, { warn() {} })).rejects.toThrow(
      '--api-key-file: missing does not exist.',
    )
  })

  it.runIf(isPosix)('causes a warning where other users can read or change it', async () => {
    const path = join(folderWith(files), 'keys')
    for (const mode of [0o640, 0o604, 0o620, 0o602]) {
      chmodSync(path, mode)
      const { warnings } = await settle({ flags: [`--api-key-file=${path}`] })
      expect(warnings).toEqual([
        `--api-key-file: other users can read or change ${path} (mode ${mode.toString(8)}). Run \`chmod 600 ${path}\`.`,
      ])
    }
  })

  // Root may read every file.
  it.runIf(isPosix && process.getuid?.() !== 0)(
    'that may not be read names the user who needs the right',
    async () => {
      const path = join(folderWith({ keys: 'one' }), 'keys')
      chmodSync(path, 0)
      await expect(settle({ flags: [`--api-key-file=${path}`] })).rejects.toThrow(
        `--api-key-file: ${path} may not be read by the user that Localpost runs as. Run \`chown ${process.getuid?.()} ${path}\`, or give`,
      )
    },
  )

  it.runIf(isPosix)('may be a pipe', async () => {
    const pipe = join(temporaryFolder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const writer = spawn('sh', ['-c', 'printf "one\\ntwo\\n" > "$1"', 'sh', pipe], { stdio: 'ignore' })
    onTestFinished(() => void writer.kill())
    const warnings: string[] = []
    expect(await readSecretFile(pipe, '--api-key-file', warnings)).toEqual(['one', 'two'])
    expect(warnings).toEqual([])
  })
})

describe('a file with the password of the relay', () => {
  it.each(['hunter2', 'p@ss:w/o%20r d?#', 'schön'])(
    '%s is put into the URL of the relay',
    async (password) => {
      const { options } = await settle({
        flags: ['--relay=smtp://ada@mail.test:587'],
        variables: { LOCALPOST_RELAY_PASSWORD_FILE: './password' },
        files: { password: `${password}\n` },
      })
      expect(options).not.toHaveProperty('relayPasswordFile')
      const url = new URL(options.relay ?? '')
      expect([url.username, decodeURIComponent(url.password), url.host]).toEqual([
        'ada',
        password,
        'mail.test:587',
      ])
    },
  )
})

describe('a file with the secret of the OpenID client', () => {
  const flags = ['--oidc-issuer=https://login.test', '--oidc-client-id=localpost']
  it('becomes an option, and may not be given beside the secret itself', async () => {
    const given = {
      variables: { LOCALPOST_OIDC_CLIENT_SECRET_FILE: './secret' },
      files: { secret: 's3cret\n' },
    }
    const { options } = await settle({ flags, ...given })
    expect(options).not.toHaveProperty('oidcClientSecretFile')
    const client = { issuer: 'https://login.test', clientId: 'localpost' }
    expect(options.oidc).toEqual({ ...client, clientSecret: 's3cret' })
    await expect(settle({ flags: [...flags, '--oidc-client-secret=hunter2'], ...given })).rejects.toThrow(
      'The secret is given twice, by --oidc-client-secret and by --oidc-client-secret-file. Remove one.',
    )
    await expect(settle({ flags, ...given, files: { secret: 'hunter2\nhunter3' } })).rejects.toThrow(
      /^--oidc-client-secret-file: \S+secret has several lines; it must contain the secret only\.$/,
    )
  })
})

describe('a file of secrets', () => {
  const relay = '--relay=smtp://ada@mail.test'
  it.each<[string, Given, RegExp]>([
    ['is missing', { flags: ['--api-key-file=./x'] }, /^--api-key-file: \S+\/x does not exist\.$/],
    ['is a folder', { flags: ['--api-key-file=./etc'] }, /^--api-key-file: \S+\/etc is a folder/],
    ['is empty', { flags: ['--api-key-file=./x'], files: { x: ' \n\n' } }, /\/x is empty\. Write the secret/],
    [
      'is too large',
      { flags: ['--api-key-file=./x'], files: { x: 'hunter2\n'.repeat(9000) } },
      /\/x is larger than 65536 bytes/,
    ],
    [
      'is no text',
      { flags: ['--api-key-file=./x'], files: { x: Buffer.of(0xff, 0xfe) } },
      /is not a text in UTF-8/,
    ],
    [
      'holds what is no key',
      { flags: ['--api-key-file=./x'], files: { x: 'good\nhunter 2\n' } },
      /^--api-key-file: key 2 in \S+\/x must be printable ASCII without spaces\./,
    ],
    [
      'of a password is missing',
      { flags: [relay, '--relay-password-file=./x'] },
      /^--relay-password-file: \S+\/x does not exist/,
    ],
    [
      'of a password has two lines',
      { flags: [relay, '--relay-password-file=./x'], files: { x: 'hunter2\nhunter3' } },
      /\/x has several lines; it must contain the password only\.$/,
    ],
    ['of a password has no relay', { flags: ['--relay-password-file=./x'] }, /needs a relay: add --relay/],
    [
      'of a password has no user',
      { flags: ['--relay=smtp://mail.test', '--relay-password-file=./x'] },
      /needs a user in the URL of the relay/,
    ],
    [
      'of a password has a rival',
      { flags: ['--relay=smtp://a:hunter2@mail.test', '--relay-password-file=./x'] },
      /^The password of the relay is given twice, in its URL and by --relay-password-file\. /,
    ],
    [
      'has no name',
      { files: { 'localpost.config.json': '{ "apiKeyFile": 1 }' } },
      /^localpost\.config\.json: Option "apiKeyFile" is 1; it takes the path of a file with API keys, one per line\.$/,
    ],
  ])('that %s is refused, and never quoted', async (_, given, message) => {
    const error: unknown = await settle(given).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(message) as unknown,
    })
    expect(String(error)).not.toContain('hunter')
  })
})
