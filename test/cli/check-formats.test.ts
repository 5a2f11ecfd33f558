import { expect, it } from 'vitest'
import type { CheckReport, CheckRun, Finding } from '../../src/checks/types.ts'
import { checkFormats, uriOf } from '../../src/cli/check-formats.ts'

const run = (id: string, outcome: CheckRun['outcome'], message: string | null): CheckRun => ({
  id,
  title: 'It is right',
  headline: 'It is wrong',
  group: 'Message',
  outcome,
  severity: outcome === 'found' ? 'error' : null,
  count: outcome === 'found' ? 1 : 0,
  message,
})
const finding: Finding = {
  id: 'live-links',
  severity: 'error',
  message: 'The link answers 404.',
  place: null,
  fix: 'Correct it.',
  link: 'https://www.rfc-editor.org/',
  clients: null,
}
const report: CheckReport = {
  findings: [finding],
  checks: [
    run('live-links', 'found', '2 of 2 addresses were asked.'),
    run('spamassassin', 'passed', 'The score is 1 of 5.'),
    run('spf', 'skipped', 'The zone is not known.'),
    run('links', 'gave_up', 'It took too long.'),
    run('date', 'passed', null),
  ],
}
const messages = [{ name: 'a.eml', file: 'a.eml', report }]

it('JUnit has a check that measured something as failed or passed, and only the others as skipped', () => {
  const xml = checkFormats.junit(messages, () => true)
  expect(xml).toContain('tests="5" failures="1" skipped="2"')
  const cases = xml.split('\n').filter((line) => line.includes('<testcase'))
  expect(cases.map((line) => /name="([\w-]+):/.exec(line)?.[1])).toEqual(report.checks.map(({ id }) => id))
  expect(cases.map((line) => /<(failure|skipped)/.exec(line)?.[1] ?? null)).toEqual([
    'failure',
    null,
    'skipped',
    'skipped',
    null,
  ])
  expect(cases.map((line) => /<system-out>(.*)<\/system-out>/.exec(line)?.[1] ?? null)).toEqual([
    '2 of 2 addresses were asked.',
    'The score is 1 of 5.',
    null,
    null,
    null,
  ])
})

it('the text says what a check measured, and calls only checks without a result open', () => {
  const lines = checkFormats.text(messages, () => true).split('\n')
  expect(lines.slice(3)).toEqual([
    '  found    live-links: 2 of 2 addresses were asked.',
    '  passed   spamassassin: The score is 1 of 5.',
    '  open     spf: The zone is not known.',
    '  open     links: It took too long.',
  ])
})

it.each([
  ['linux', 'mails/a b#1.eml', 'mails/a%20b%231.eml'],
  ['linux', '/mails/a.eml', '/mails/a.eml'],
  ['linux', 'c:/a\\b.eml', 'c%3A/a%5Cb.eml'],
  ['win32', 'mails\\a/b.eml', 'mails/a/b.eml'],
  ['win32', 'C:\\mails\\a.eml', 'file:///C:/mails/a.eml'],
] as const)('on %s, the URI of the file %s is %s', (platform, file, uri) => {
  expect(uriOf(file, platform)).toBe(uri)
})

it('SARIF names a file by its URI', () => {
  const sarif = checkFormats.sarif([{ name: 'a.eml', file: 'mails/a b.eml', report }], () => true)
  expect(sarif).toContain('"uri": "mails/a%20b.eml"')
})
