import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseArguments } from '../../src/cli/arguments.ts'
import { resolveSettings } from '../../src/cli/settings.ts'
import { temporaryFolder } from '../support/folder.ts'

const day = 86_400_000

it.each([
  ['7d', 7 * day],
  ['12h', day / 2],
  ['90m', 5_400_000],
  ['30s', 30_000],
  ['1.5d', 1.5 * day],
])('--max-age %s means %i ms', async (text, maxAgeMs) => {
  const { options } = await resolveSettings(parseArguments([`--max-age=${text}`]), {}, temporaryFolder())
  expect(options.maxAgeMs).toBe(maxAgeMs)
})

it.each(['7', 'd', '-1d', '0d', '7w', '1e3d', ' 7d'])('--max-age %j is refused', (text) => {
  expect(() => parseArguments([`--max-age=${text}`])).toThrow(
    /--max-age is ".*"; it takes a time above 0 such as 7d/,
  )
})

it.each(['0', '-1', '1.5', 'ten'])('--max-emails %j is refused', (text) => {
  expect(() => parseArguments([`--max-emails=${text}`])).toThrow(
    /--max-emails is ".*"; it takes a whole number/,
  )
})

it('bounds come from variables and the configuration file too', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'localpost.config.json'), '{ "maxAgeMs": 5000, "limits": { "smtpClients": 9 } }')
  const variables = { LOCALPOST_MAX_EMAILS: '500' }
  const { options } = await resolveSettings(parseArguments([]), variables, cwd)
  expect(options).toMatchObject({ maxEmails: 500, maxAgeMs: 5000, limits: { smtpClients: 9 } })
  writeFileSync(join(cwd, 'localpost.config.json'), '{ "limits": { "smtpClient": 9 } }')
  await expect(resolveSettings(parseArguments([]), {}, cwd)).rejects.toThrow(
    /Unknown option "limits\.smtpClient"/,
  )
})
