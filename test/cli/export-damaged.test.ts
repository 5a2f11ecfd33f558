import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { damagedFolder } from '../inbox/_damaged.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runToEnd, startCommand } from './command.ts'

it('localpost export lists what is missing and ends with code 1, for an archive and a folder', async () => {
  const { dir, whole, smtp, api } = await damagedFolder()
  const cwd = temporaryFolder()
  const running = await startCommand([`--dir=${dir}`], { cwd })
  for (const to of ['mails.zip', 'mails']) {
    const { code, stdout, stderr } = await runToEnd(['export', '--to', to, '--url', running.url], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain('Wrote ')
    if (to === 'mails.zip') {
      expect(stderr).toMatch(/Some messages are missing: .* errors\.txt in the archive lists them\./)
      continue
    }
    expect(stderr).toMatch(
      new RegExp(`${api}-By-API\\.eml: .*store_corrupt|${api}-By-API\\.eml: .*the \\d+ bytes`),
    )
    expect(stderr).toContain(`${smtp}-By-SMTP.eml: `)
    expect(stderr).toContain('2 messages are missing: their bytes cannot be read.')
  }
  expect(await readdir(join(cwd, 'mails'))).toEqual([`${whole}-Whole.eml`])
})
