import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { domainStatuses } from '../../src/domains/domain.ts'
import { bounceSubtypes, bounceTypes, eventStatuses } from '../../src/emails/events.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const section = read('docs/decisions.md').split('\n## States, and the tests that reach them\n')[1] ?? ''

/** A status, of a bounce with its type and subtype, and the test that reaches it. */
const rows = [...section.matchAll(/^\| (`.+?) \| .+? \| `(.+?)` \| (.+?) \|$/gm)].map(
  ([, states = '', file = '', title = '']) => {
    const [status = '', ...bounce] = [...states.matchAll(/`(\w+)`/g)].map(([, word = '']) => word)
    return { status, bounce: bounce.join('/'), file, title }
  },
)

const ofEmails: readonly string[] = eventStatuses
const ofDomains: readonly string[] = domainStatuses

describe('the table of states in docs/decisions.md', () => {
  it('events.statuses: it has every status of an email, each without and with its bounces', () => {
    expect(ofEmails).toContain('delivered')
    const lines = section.split('\n').filter((line) => line.startsWith('| '))
    expect(lines.slice(1), 'every line of the table can be read').toHaveLength(rows.length)
    const found = rows.filter(({ status }) => !ofDomains.includes(status))
    expect([...new Set(found.map(({ status }) => status))].sort()).toEqual(ofEmails.toSorted())
    const names = found.map(({ status, bounce }) => `${status} ${bounce}`)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  it('domains.status: it has every status of a domain, once', () => {
    expect(ofDomains).toContain('SUCCESS')
    const found = rows.map(({ status }) => status).filter((status) => !ofEmails.includes(status))
    expect(found.sort()).toEqual(ofDomains.toSorted())
  })

  it('events.bounce-types: it has every subtype in the table, or says that it appears only on request', () => {
    const reached = rows.map(({ bounce }) => bounce).filter((bounce) => bounce !== '')
    const [, onRequest = ''] =
      /No SMTP reply leads to (.*?): they appear only on request/s.exec(section) ?? []
    const asked = [...onRequest.matchAll(/`(\w+)`\/`(\w+)`/g)].map(
      ([, type, subtype]) => `${type}/${subtype}`,
    )
    const all = [...reached, ...asked]
    expect(all.filter((bounce, i) => all.indexOf(bounce) !== i)).toEqual([])
    for (const [words, part] of [
      [bounceTypes, 0],
      [bounceSubtypes, 1],
    ] as const) {
      expect([...new Set(all.map((bounce) => bounce.split('/')[part]))].sort()).toEqual(words.toSorted())
    }
  })

  it.each(rows)('events.statuses: $status $bounce is reached by an existing test', (row) => {
    const { status, bounce, file, title } = row
    expect(existsSync(new URL(`../../${file}`, import.meta.url)), `${file} is there`).toBe(true)
    const source = read(file)
    const escaped = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    // As the first argument of `it`, also after `.each(…)`, and not of a skipped test.
    expect(source, `${file} has this test`).toMatch(new RegExp(`(?:\\bit|\\))\\(\\s*['"]${escaped}['"],`))
    for (const word of [status, ...bounce.split('/')]) expect(source).toContain(word)
  })
})
