import { beforeEach, describe, expect, it } from 'vitest'
import { contactCollection } from '../../src/audiences/audience.ts'
import { createAudiences, type Audiences } from '../../src/audiences/audiences.ts'
import type { Contacts } from '../../src/audiences/contacts.ts'
import { importResultSchema } from '../../src/audiences/schema.ts'
import type { Store } from '../../src/store/store.ts'
import { openParts, type Parts } from '../support/deps.ts'

let parts: Parts
let audiences: Audiences
let contacts: Contacts
let id: string

beforeEach(async () => {
  parts = await openParts()
  audiences = createAudiences(parts)
  contacts = audiences.contacts
  id = (await audiences.create({ name: 'Readers' })).id
})

async function stored(): Promise<unknown[]> {
  const { items } = await contacts.list(id, { limit: 500 })
  return items.map(({ email, first_name, last_name, is_subscribed }) => [
    email,
    first_name,
    last_name,
    is_subscribed,
  ])
}

describe('importing an array', () => {
  it('stores valid rows, rejects the others, and lets later rows update earlier ones', async () => {
    await contacts.add(id, { email: 'old@example.com', first_name: 'Old' })
    const rows: object[] = [
      { email: 'ada@example.com', first_name: 'Ada' },
      { email: 'nobody' },
      { email: 'ADA@example.com', last_name: 'Lovelace' },
      { email: 'old@example.com', is_subscribed: false },
      { email: 'bob@example.com', is_subscribed: 'no' },
    ]
    const result = await Reflect.apply(contacts.import, undefined, [id, rows])
    expect(result).toEqual({
      created: 1,
      updated: 2,
      rejected: [
        { line: 2, message: 'email: "nobody" must have exactly one @, as in "ada@example.com"' },
        { line: 5, message: 'is_subscribed: must be true or false, not "no"' },
      ],
    })
    expect(importResultSchema.parse(result)).toEqual(result)
    expect(await stored()).toEqual([
      ['ADA@example.com', 'Ada', 'Lovelace', true],
      ['old@example.com', 'Old', null, false],
    ])
  })

  it('commits 10,000 contacts at most 250 at a time, and changes nothing the second time', async () => {
    const sizes: number[] = []
    const store: Store = {
      ...parts.store,
      commit: (changes, blobs) => {
        sizes.push(changes.length)
        return parts.store.commit(changes, blobs)
      },
    }
    const { contacts } = createAudiences({ ...parts, store })
    const many = Array.from({ length: 10_000 }, (_, i) => ({ email: `person${i}@example.com` }))
    expect(await contacts.import(id, many)).toEqual({ created: 10_000, updated: 0, rejected: [] })
    expect(Math.max(...sizes)).toBe(250)
    const commits = sizes.length
    expect(await contacts.import(id, many)).toEqual({ created: 0, updated: 10_000, rejected: [] })
    expect(sizes).toHaveLength(commits)
    expect(await parts.store.count(contactCollection)).toBe(10_000)
  })

  it('lists the first 1,000 invalid rows, counts the others, and does not block the event loop', async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => (i === 20_000 ? { email: 'ada@example.com' } : i))
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const result = await Reflect.apply(contacts.import, undefined, [id, rows])
    clearInterval(timer)
    expect(result).toMatchObject({ created: 1, updated: 0 })
    expect(result.rejected).toHaveLength(1001)
    expect(result.rejected.slice(999)).toEqual([
      { line: 1000, message: 'body: must be an object, not 999' },
      { line: 1001, message: 'and 28999 more rows' },
    ])
    expect(turns).toBeGreaterThan(20)
  })

  it('can be repeated after a failure and then completes', async () => {
    let commits = 0
    const store: Store = {
      ...parts.store,
      commit: (changes, blobs) =>
        ++commits === 2 ? Promise.reject(new Error('disk')) : parts.store.commit(changes, blobs),
    }
    const { contacts } = createAudiences({ ...parts, store })
    const many = Array.from({ length: 1500 }, (_, i) => ({ email: `person${i}@example.com` }))
    await expect(contacts.import(id, many)).rejects.toThrow('disk')
    expect((await audiences.get(id)).contact_count).toBe(250)
    expect(await contacts.import(id, many)).toMatchObject({ created: 1250, updated: 250 })
  })

  it('loses nothing when two imports of the same people run at once', async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ email: `person${i}@example.com` }))
    const [a, b] = await Promise.all([
      contacts.import(
        id,
        many.map((one) => ({ ...one, first_name: 'A' })),
      ),
      contacts.import(
        id,
        many.map((one) => ({ ...one, last_name: 'B' })),
      ),
    ])
    expect(a.created + b.created).toBe(300)
    const { items } = await contacts.list(id, { limit: 500 })
    expect(items.every(({ first_name, last_name }) => first_name === 'A' && last_name === 'B')).toBe(true)
  })

  it.each([[{ email: 'ada@example.com' }], [42], [null]])('refuses %j', async (source) => {
    await expect(Reflect.apply(contacts.import, undefined, [id, source])).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: 'body' }],
    })
  })

  it('predicts with dryRun what an import of several commits will do', async () => {
    const rows = Array.from({ length: 600 }, (_, index) => ({ email: `reader${index % 400}@example.com` }))
    const foreseen = await contacts.import(id, rows, { dryRun: true })
    expect(foreseen).toEqual({ created: 400, updated: 200, rejected: [] })
    expect(await stored()).toEqual([])
    expect(await contacts.import(id, rows)).toEqual(foreseen)
    expect(await contacts.import(id, rows, { dryRun: true })).toEqual({
      created: 0,
      updated: 600,
      rejected: [],
    })
  })
})

describe('importing CSV', () => {
  it('reads column names leniently, and common spellings of values', async () => {
    const csv = [
      '\ufeff"E-Mail Address",First Name,LAST_NAME,Subscribed,Shoe size',
      'ada@example.com,Ada,"Lovelace, Countess",yes,38',
      ' bob@example.com , Bob ,,0,',
      'cy@example.com,"Cy ""the"" One",,FALSE,',
      '',
      'dee@example.com',
    ].join('\r\n')
    expect(await contacts.import(id, csv)).toEqual({ created: 4, updated: 0, rejected: [] })
    expect(await stored()).toEqual([
      ['ada@example.com', 'Ada', 'Lovelace, Countess', true],
      ['bob@example.com', 'Bob', null, false],
      ['cy@example.com', 'Cy "the" One', null, false],
      ['dee@example.com', null, null, true],
    ])
  })

  it('treats an empty cell as not given and keeps the stored value', async () => {
    await contacts.add(id, { email: 'ada@example.com', first_name: 'Ada', is_subscribed: false })
    await contacts.import(id, 'email,first_name,last_name,subscribed\nada@example.com,,Lovelace,\n')
    expect(await stored()).toEqual([['ada@example.com', 'Ada', 'Lovelace', false]])
  })

  it('names the line at which a rejected row begins', async () => {
    const csv = [
      'email,first_name,subscribed,notes',
      'ada@example.com,Ada,true,"from', // lines 2 to 4
      '',
      'London"',
      'nobody,No Body,true,"not', // lines 5 and 6
      'there"',
      '', // 7
      ',No Address,true,', // 8
      'bob@example.com,Bob,perhaps,', // 9
      'cy@example.com,"C', // 10 and 11
      'y",true,',
      'dee@example.com,Dee,true,',
    ]
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      const result = await contacts.import(id, csv.join(lineEnd))
      expect(result.created + result.updated).toBe(2)
      expect(result.rejected).toEqual([
        { line: 5, message: expect.stringContaining('email: "nobody"') },
        { line: 8, message: expect.stringContaining('email: "" is empty') },
        { line: 9, message: 'is_subscribed: must be true or false, not "perhaps"' },
        { line: 10, message: 'first_name: must be one line, without control characters' },
      ])
    }
  })

  it('reads stray quotes as text and loses no line', async () => {
    const csv =
      'email,first_name\nada@example.com,Ada "the" One\nbob@example.com,"Bob" B\n"cy"x,Cy\ndee@example.com,Dee\n'
    const result = await contacts.import(id, csv)
    expect(result).toMatchObject({ created: 3, rejected: [{ line: 4 }] })
    expect(await stored()).toEqual([
      ['ada@example.com', 'Ada "the" One', null, true],
      ['bob@example.com', '"Bob" B', null, true],
      ['dee@example.com', 'Dee', null, true],
    ])
  })

  it.each(['\n', ''])('rejects a quote that never ends, and keeps the rows before it', async (end) => {
    const csv = `email,first_name\nada@example.com,Ada\nbob@example.com,"Bob\ncy@example.com,Cy${end}`
    const result = await contacts.import(id, csv)
    expect(result).toEqual({
      created: 1,
      updated: 0,
      rejected: [{ line: 3, message: expect.stringContaining('never closed') }],
    })
  })

  it.each([
    ['name,first_name\nada@example.com,Ada', 'no column is named "email"'],
    ['ada@example.com\nbob@example.com', 'no column is named "email"'],
    ['', 'no header line'],
    ['\n\n', 'no header line'],
  ])('refuses %j as a whole', async (csv, reason) => {
    await expect(contacts.import(id, csv)).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: 'body', message: expect.stringContaining(reason) }],
    })
    expect((await audiences.get(id)).contact_count).toBe(0)
  })

  it('reads a header without rows as no contacts', async () => {
    expect(await contacts.import(id, 'email\n')).toEqual({ created: 0, updated: 0, rejected: [] })
  })

  it('accepts up to a million rows, and stores nothing of a larger file', async () => {
    const rows = 'ada@example.com\n'.repeat(3_000_000)
    await expect(contacts.import(id, `email\n${rows}`)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('has 3000002 lines; an import takes up to 1000000'),
    })
    const many = Array.from({ length: 1_000_001 }, () => ({ email: 'ada@example.com' }))
    await expect(contacts.import(id, many)).rejects.toMatchObject({ code: 'validation_error' })
    expect(await stored()).toEqual([])
  })

  it('counts the lines of a file whatever their line end', async () => {
    for (const end of ['\r', '\r\n', '\n'])
      await expect(contacts.import(id, `email${end}${`a${end}`.repeat(1_000_005)}`)).rejects.toMatchObject({
        message: expect.stringContaining('has 1000007 lines; an import takes up to 1000000'),
      })
  })

  it('refuses a file with a very long line, and stores nothing of it', async () => {
    const lines = {
      header: `a,email${',b'.repeat(40_000)}`,
      cell: `email\nada@example.com\n${'x'.repeat(70_000)}`,
      cells: `email\rada@example.com\r${','.repeat(20_000_000)}\rgrace@example.com`,
      quotes: `email\r\nada@example.com\r\n${'"'.repeat(70_000)}`,
    }
    for (const [name, text] of Object.entries(lines))
      await expect(contacts.import(id, text), name).rejects.toMatchObject({
        code: 'validation_error',
        message: expect.stringMatching(/line [13] has \d+ characters; a line may have up to 65536/),
      })
    expect(await stored()).toEqual([])
    const longest = `ada@example.com,${'x'.repeat(65_536 - 16)}`
    expect(await contacts.import(id, `email,other\n${longest}`)).toMatchObject({ created: 1 })
  })

  it('reads every kind of line end, wherever the text is split', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const rows = Array.from({ length: 9000 }, (_, i) => `p${i}@example.com,😀`)
      const { rejected } = await contacts.import(id, ['email,first_name', ...rows].join(end))
      expect(rejected).toEqual([])
      expect((await contacts.list(id)).count).toBe(9000)
    }
  })

  it('keeps multi-byte characters whole in a long text, and does not block the event loop', async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => `person${i}@example.com,Zoë 😀 ${i}`)
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const result = await contacts.import(id, `email,first_name\n${rows.join('\n')}`)
    clearInterval(timer)
    expect(result).toEqual({ created: 10_000, updated: 0, rejected: [] })
    expect(turns).toBeGreaterThan(5)
    let cursor: string | null = null
    do {
      const page = await contacts.list(id, { cursor, limit: 500 })
      for (const { email, first_name } of page.items)
        expect(first_name).toBe(`Zoë 😀 ${/\d+/.exec(email)?.[0]}`)
      cursor = page.cursor
    } while (cursor)
  })
})
