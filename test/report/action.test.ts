import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
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

const yaml = readFileSync(join(action, 'action.yml'), 'utf8')

/** The scripts of the steps, by their names. */
const scripts = new Map(
  [...yaml.matchAll(/- name: (.+)\n[^]*?(?=\n {4}- |$)/g)].map(([step, name = '']) => [
    name,
    (/run: \|\n((?: {8}.*\n?)+)/.exec(step)?.[1] ?? '').replaceAll(/^ {8}/gm, ''),
  ]),
)

/** Runs the script of a step; as at GitHub, a command that fails ends it. `gh` prints `answer`. @returns The calls of `gh`. */
function runStep(step: string, answer: string, env: Record<string, string>): string[] {
  const bin = mkdtempSync(join(folder, 'bin-'))
  const calls = join(bin, 'calls')
  writeFileSync(calls, '')
  writeFileSync(join(bin, 'gh'), '#!/bin/sh\necho "$*" >> "$CALLS"\nprintf %s "$ANSWER"\n')
  chmodSync(join(bin, 'gh'), 0o755)
  const PATH = `${bin}${delimiter}${process.env['PATH']}`
  const options = { env: { PATH, CALLS: calls, ANSWER: answer, GITHUB_REPOSITORY: 'acme/shop', ...env } }
  execFileSync('sh', ['-ec', scripts.get(step) ?? ''], {
    ...options,
    stdio: 'pipe',
  })
  return readFileSync(calls, 'utf8').trim().split('\n')
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

  it.each([
    ['of another version', '<script type="application/json" id="index">{"version":2,"mails":[]}</script>'],
    ['no report', '<html></html>'],
    ['cut off', '<script type="application/json" id="index">{"version":1,</script>'],
  ])('compares with nothing where the baseline is %s', (_, html) => {
    const baseline = join(folder, 'odd.html')
    writeFileSync(baseline, html)
    const text = compare(report('now.html', [{ key: '1', subject: 'Hi' }]), baseline, '', 'mails')
    expect(text).toContain('The report of the main branch cannot be read, so nothing is compared.')
  })

  it('says in a sentence that there is no report', () => {
    let said = ''
    try {
      compare(join(folder, 'none.html'), '', '', 'mails')
    } catch (error) {
      said = (error as { stderr: string }).stderr
    }
    expect(said).toMatch(/^There is no report at .*none\.html\. Did the tests run with the reporter\?\n$/)
  })

  it.skipIf(process.platform === 'win32')('works where the action is behind a link', () => {
    const link = join(folder, 'link.mjs')
    symlinkSync(join(action, 'compare.mjs'), link)
    const now = report('now.html', [])
    expect(execFileSync(process.execPath, [link, now], { encoding: 'utf8' })).toContain('0 mails')
  })

  it('passes no text of an event into a shell', () => {
    expect([...scripts.values()].filter((script) => script !== '')).toHaveLength(3)
    for (const script of scripts.values()) expect(script).not.toContain('${{')
  })
})

describe.skipIf(process.platform === 'win32')('the steps of the GitHub Action', () => {
  const env = { ARTIFACT: 'mails', BRANCH: 'main', WORKFLOW: 'test', BASELINE: 'there' }

  it('load the report of the last push to the main branch', () => {
    const [list, download, ...more] = runStep('Get the report of the main branch', '17', env)
    expect(list).toMatch(/^run list .*--workflow test --branch main --event push --status success --limit 1 /)
    expect(download).toBe('run download 17 --repo acme/shop --name mails --dir there')
    expect(more).toEqual([])
  })

  it('load nothing where the main branch has no run', () => {
    const calls = runStep('Get the report of the main branch', '', env)
    expect(calls).toEqual([expect.stringMatching(/^run list /)])
  })

  it('edit only a comment of a bot', () => {
    const comment = join(folder, 'comment.md')
    writeFileSync(comment, '<!-- localpost-mails mails -->\nText\n')
    const [find, write] = runStep('Comment', '5', { PULL: '1', COMMENT: comment })
    expect(find).toContain(
      'select(.user.type == "Bot" and (.body | startswith("<!-- localpost-mails mails -->")))',
    )
    expect(write).toContain('--method PATCH repos/acme/shop/issues/comments/5')
    writeFileSync(comment, '')
    expect(() => runStep('Comment', '5', { PULL: '1', COMMENT: comment })).toThrow()
  })
})
