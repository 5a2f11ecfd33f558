import { describe, expect, it } from 'vitest'
import { renderCheckReference } from '../../scripts/check-reference.ts'
import { checkRegistry } from '../../src/checks/registry.ts'
import { checkMail } from '../../src/checks/run.ts'
import { examples } from './_examples.ts'
import { mailWith } from './_mail.ts'

// What others answer is tested with them: spam.test.ts.
const rows = checkRegistry.filter((row) => 'run' in row)
const ids = rows.map(({ id }) => id)

describe('the table of checks', () => {
  it('has an example for each check, and each once', () => {
    expect(Object.keys(examples).toSorted()).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('is written to docs/checks.md by `npm run docs:tables`', async () => {
    await expect(renderCheckReference()).toMatchFileSnapshot('../../docs/checks.md')
  })

  it('finds nothing in a mail without problems', async () => {
    const { findings, checks } = checkMail(mailWith(), { clients: ['apple-mail/macos'] })
    expect(findings).toEqual([])
    expect(checks.length).toBeGreaterThan(3)
  })
})

describe.each(rows)('the check $id', ({ id, severity }) => {
  const example = examples[id]

  it('finds what it is for, with place, fix and link', async () => {
    const { findings, checks } = checkMail(example!.fails, example?.options, example?.knowledge?.[0])
    const own = findings.filter((finding) => finding.id === id)
    expect(own[0]).toMatchObject({
      severity: example?.severity ?? severity,
      link: expect.stringMatching(/^https:/),
    })
    for (const { message, fix } of own)
      for (const said of [message, fix]) expect(said).toMatch(/^\S.*[^\s]\.$/s)
    expect(checks.find((run) => run.id === id)).toMatchObject({
      outcome: 'found',
      headline: expect.stringMatching(/^\S.{6,58}[^.]$/),
      severity: own[0]?.severity,
      count: own.length,
    })
  })

  it('passes where it is close', async () => {
    const { findings, checks } = checkMail(example!.passes, example?.options, example?.knowledge?.[1])
    expect(findings.filter((finding) => finding.id === id)).toEqual([])
    const run = checks.find((one) => one.id === id)
    expect(run?.outcome ?? 'passed').toBe('passed')
    expect(run?.headline).toBe(run?.title)
  })

  it('can be left out', async () => {
    const { findings, checks } = checkMail(
      example!.fails,
      { ...example?.options, except: [id] },
      example?.knowledge?.[0],
    )
    expect([...findings, ...checks].filter((one) => one.id === id)).toEqual([])
  })
})
