import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { writeReport } from '../../src/report/write.ts'

const action = fileURLToPath(new URL('../../integrations/github-action', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'localpost-action-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Mail {
  key: string
  subject: string
  digest?: string
  errors?: number
}

/** Writes a report with these mails into a file. */
function report(name: string, mails: readonly Mail[]): string {
  const whole = mails.map((mail) => {
    return { file: 'a.test.js', test: 'signs up', to: ['ada@example.com'], digest: 'd', errors: 0, ...mail }
  })
  const index = JSON.stringify({ version: 1, mails: whole }).replaceAll('<', '\\u003c')
  const path = join(folder, name)
  writeFileSync(path, `<html><script type="application/json" id="index">${index}</script></html>`)
  return path
}

const compare = (...args: string[]): string =>
  execFileSync(process.execPath, [join(action, 'compare.mjs'), ...args], { encoding: 'utf8', stdio: 'pipe' })

describe('the comment of the GitHub Action', () => {
  it('lists changed, new and gone mails, and links the report', () => {
    const before = report('before.html', [
      { key: '1', subject: 'Same' },
      { key: '2', subject: 'Changes', digest: 'old' },
      { key: '3', subject: 'Goes' },
    ])
    const now = report('now.html', [
      { key: '1', subject: 'Same' },
      { key: '2', subject: 'Changed', digest: 'new' },
      { key: '4', subject: 'Comes', errors: 1 },
    ])
    const text = compare(now, before, 'https://github.com/acme/shop/actions/runs/1/artifacts/2', 'mails')
    expect(text).toBe(`<!-- localpost-mails mails -->
### Mails of the test run

3 mails, 1 with errors of checks: see [the report](https://github.com/acme/shop/actions/runs/1/artifacts/2). Against the main branch: 1 changed, 1 new, 1 gone.

<details><summary>Changed (1)</summary>

- \`Changed\` to \`ada@example.com\` (\`signs up\`)

</details>

<details><summary>New (1)</summary>

- \`Comes\` to \`ada@example.com\` (\`signs up\`)

</details>

<details><summary>Gone (1)</summary>

- \`Goes\` to \`ada@example.com\` (\`signs up\`)

</details>

<details><summary>With errors of checks (1)</summary>

- \`Comes\` to \`ada@example.com\` (\`signs up\`)

</details>
`)
  })

  it('says when there is nothing to compare with, and shows nothing that a mail could use', () => {
    const hostile = '`@acme/owners` </details><img src=x> [x](javascript:1)\n\n# big'
    const now = report('hostile.html', [{ key: '1', subject: hostile, errors: 1 }])
    const text = compare(now, join(folder, 'none.html'), 'javascript:alert(1)', 'a --> b')
    expect(text.split('\n')[0]).toBe('<!-- localpost-mails a_--__b -->')
    expect(text).toContain('see the report. There is no report of the main branch to compare with.')
    expect(text).toContain(
      '- `ʼ@acme/ownersʼ </details><img src=x> [x](javascript:1) # big` to `ada@example.com` (`signs up`)',
    )
  })

  it('shows at most 20 mails of a list', () => {
    const many = Array.from({ length: 50 }, (_, n) => ({ key: String(n), subject: `Mail ${n}` }))
    const text = compare(report('many.html', many), report('few.html', []), '', 'mails')
    expect(text.match(/^- `Mail/gm)).toHaveLength(20)
    expect(text).toContain('- … and 30 more')
  })

  it('reads what the reporter writes', async () => {
    const outputFile = join(folder, 'real.html')
    await writeReport({
      folder: mkdtempSync(join(folder, 'run-')),
      root: '/',
      outputFile,
      baseline: null,
      tests: [],
    })
    expect(compare(outputFile, outputFile, '', 'mails')).toContain('0 mails, 0 with errors of checks')
    expect(() => compare(join(action, 'action.yml'), '', '', '')).toThrow('no report of localpost/reporter')
  })

  it('passes no text of an event into a shell', () => {
    const yaml = readFileSync(join(action, 'action.yml'), 'utf8')
    for (const [, script = ''] of yaml.matchAll(/run: \|\n((?: {8}.*\n)+)/g))
      expect(script).not.toContain('${{')
  })
})
