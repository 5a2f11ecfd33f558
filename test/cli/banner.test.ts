import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { parseArguments } from '../../src/cli/arguments.ts'
import { renderBanner } from '../../src/cli/banner.ts'
import { startWarnings } from '../../src/cli/start-warnings.ts'
import { resolveSettings } from '../../src/cli/settings.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import { temporaryFolder } from '../support/folder.ts'

test.each([false, true])('every line of the banner fits 100 columns, with strict: %s', async (strict) => {
  const post = await createLocalpost({ strict })
  const options = { dir: undefined, strict, host: '127.0.0.1' }
  for (const url of ['http://127.0.0.1:65535', 'http://[2001:db8:1234:5678:9abc:def0:1234:5678]:65535']) {
    // A generated key, and one of 64 digits that a user may choose.
    for (const apiKey of [post.apiKey, 'f'.repeat(64)]) {
      const shown = { url, apiKey, smtp: { host: '2001:db8:1234:5678:9abc:def0:1234:5678', port: 65_535 } }
      const settings = { options, warnings: [] } as unknown as Parameters<typeof renderBanner>[1]
      const banner = renderBanner(shown as unknown as typeof post, settings, '10.20.30-beta.40')
      const lines = stripVTControlCharacters(banner).split('\n')
      expect(lines.length).toBeGreaterThan(8)
      expect(lines.filter((line) => line.length > 100)).toEqual([])
    }
  }
  await post.close()
})

test.each([
  ['127.0.0.1', []],
  ['::1', []],
  [
    '0.0.0.0',
    [
      '--accept-any-key with --host 0.0.0.0: API keys protect nothing. Anyone who can reach the port can read, send and delete all mail.',
      '--host 0.0.0.0: other machines can reach the HTTP and SMTP ports. Anyone can submit mail over SMTP. Ask for a login with --smtp-auth required.',
    ],
  ],
])('--accept-any-key with --host %s has a warning of its own off loopback', async (host, warnings) => {
  const flags = parseArguments(['--memory', '--accept-any-key', '--host', host])
  expect(startWarnings(await resolveSettings(flags, {}, '/'))).toEqual(warnings)
})

test.each<[string, string[], RegExp[]]>([
  ['loopback', ['--host=127.0.0.1'], []],
  [
    'no users and no key',
    ['--host=0.0.0.0'],
    [/Everyone who has the API key above can read, .*Anyone can submit/],
  ],
  [
    'no users and no key, but a login over SMTP',
    ['--host=0.0.0.0', '--smtp-auth=required'],
    [/Everyone who has the API key above can read, .* --oidc-issuer\.$/],
  ],
  ['a key', ['--host=0.0.0.0', '--api-key=x'], [/^--host 0\.0\.0\.0: other machines .* ports\. Anyone can/]],
  [
    'a key, and a login over SMTP',
    ['--host=0.0.0.0', '--api-key=x', '--smtp-auth=required'],
    [/^--host 0\.0\.0\.0: other machines .* ports\.$/],
  ],
  [
    'users, without TLS',
    ['--host=::', '--users=x'],
    [/ports\. Anyone can/, /sign-ins and mail are not encrypted/],
  ],
  [
    'an OpenID provider, without TLS and a public URL',
    ['--host=::', '--oidc-issuer=https://login.test', '--oidc-client-id=x'],
    [
      /ports\. Anyone can/,
      /^--oidc-issuer .*sign-ins and mail are not encrypted/,
      /^--oidc-issuer .*Add --public-url/,
    ],
  ],
  [
    'users behind a proxy',
    ['--host=::', '--users=x', '--public-url=https://mail.test'],
    [/^--host ::: other machines .* ports\. Anyone can/],
  ],
])('the start says who can read and submit mail: %s', async (_, flags, warnings) => {
  const settings = await resolveSettings(parseArguments(['--memory', ...flags]), {}, '/')
  expect(startWarnings(settings)).toEqual(
    warnings.map((warning) => expect.stringMatching(warning) as unknown),
  )
})

test.runIf(process.platform !== 'win32')('a key from a file is named by its file, not printed', async () => {
  const file = join(temporaryFolder(), 'the keys')
  writeFileSync(file, '\n  \r\nlp_one\r\nlp_two\n', { mode: 0o600 })
  const settings = await resolveSettings(parseArguments(['--memory', `--api-key-file=${file}`]), {}, '/')
  const post = await createLocalpost({ ...settings.options, smtpPort: 0 })
  await post.listen()
  const banner = stripVTControlCharacters(renderBanner(post, settings, '0.0.0'))
  expect(banner).toContain(`Key   the first in ${file}\n`)
  expect(banner).not.toContain('lp_one')
  const command = banner.slice(banner.indexOf('\ncurl ') + 1)
  const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { command curl -s "$@"; }; ${command}`])
  expect(JSON.parse(stdout)).toEqual({ id: expect.any(String) as unknown })
  await post.close()

  // Such as that of `--api-key-file <(pass show localpost)`.
  const piped = { ...settings, keyFile: '/dev/null' }
  expect(renderBanner(post, piped, '0.0.0')).toContain('Bearer YOUR_API_KEY')

  const given = parseArguments(['--memory', '--api-key=lp_own', `--api-key-file=${file}`])
  const both = await resolveSettings(given, {}, '/')
  expect(renderBanner({ ...post, apiKey: 'lp_own' }, both, '0.0.0')).toContain('lp_own')
})

test('says where Mailpit’s API is only to containers that set its variables', async () => {
  const bannerOf = async (variables: NodeJS.ProcessEnv): Promise<string> => {
    const settings = await resolveSettings(parseArguments(['--memory']), variables, '/')
    const post = await createLocalpost({ ...settings.options, smtpPort: 0 })
    onTestFinished(() => post.close())
    await post.listen()
    return renderBanner(post, settings, '0.0.0')
  }
  expect(await bannerOf({ MP_SMTP_AUTH_ACCEPT_ANY: '1' })).toContain('accessible via')
  expect(await bannerOf({ MP_LABEL: '' })).not.toContain('accessible via')
})
