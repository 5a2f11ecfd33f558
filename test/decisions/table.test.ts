import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

// states.test.ts reads the part after the decisions.
const [decisions = ''] = read('../../docs/decisions.md').split('\n## States, and the tests that reach them\n')

/** The rows of a section: the key and the two other columns. */
const rows = decisions
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => [...section.matchAll(/^\| `([^`]+)` \| (.+?) \| (.+) \|$/gm)])
  .map(([, key = '', open = '', decision = '']) => ({ key, open, decision }))

const files = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.test.ts'))

/** The keys at the beginning of titles; a todo proves nothing. */
const titles = files.flatMap((file) =>
  [...read(file).matchAll(/(\.todo\(\s*)?['"`]([a-z]+\.[a-z-]+): \S/g)].map(([, todo, key = '']) => ({
    file,
    key,
    isTodo: todo !== undefined,
  })),
)

describe('the table in docs/decisions.md', () => {
  const keys = rows.map(({ key }) => key)

  it('has rows with unique keys and no empty column', () => {
    expect(keys.length).toBeGreaterThan(50)
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([])
    for (const { key, open, decision } of rows) {
      expect(key).toMatch(/^(?:lists|members|sending|events|domains|mime|access)\.[a-z]+(?:-[a-z]+)*$/)
      expect(open.length * decision.length, key).toBeGreaterThan(0)
    }
  })

  it('has no row that this test cannot parse', () => {
    const lines = decisions.split('\n')
    const bodies = lines.filter((line) => line.startsWith('|') && !/^\|(?: key |-)/.test(line))
    expect(bodies).toHaveLength(rows.length)
  })

  it.each(keys)('%s has a test whose title begins with it', (key) => {
    expect(titles.filter((title) => title.key === key && !title.isTodo)).not.toEqual([])
  })

  it('has every key that a test names', () => {
    const unknown = titles.filter(({ key }) => !keys.includes(key))
    expect(unknown.map(({ file, key }) => `${file}: ${key}`)).toEqual([])
  })

  it.each(files.filter((file) => file !== 'table.test.ts'))('%s has no test without a key', (file) => {
    const calls = [...read(file).matchAll(/^ *it(?:\.each|\.todo)?\(/gm)]
    const named = titles.filter((title) => title.file === file)
    expect(named).toHaveLength(calls.length)
  })
})
