import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { PageQuery, Where } from '../../src/store/queries.ts'
import {
  blobOf,
  type Change,
  type Collection,
  insert,
  put,
  remove,
  type Store,
  update,
} from '../../src/store/store.ts'
import { type Note, note, notes as plainNotes } from '../contracts/notes.ts'
import { isLong } from '../support/long.ts'
import { startPostgres, type TestServer } from '../support/postgres.ts'
import { randomOf } from '../support/random.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const keyed: Collection<Note> = {
  ...plainNotes,
  facts: {
    version: 1,
    flags: ['seen', 'due'],
    numbers: ['due', 'tags'],
    texts: ['tag', 'group'],
    of({ seen, due, tags, group }) {
      // Facts that cannot be determined: conditions on them meet no record.
      if (group === 'broken') throw new Error('broken')
      return {
        flags: (seen ? 1 : 0) | (due === null ? 0 : 2),
        numbers: [due ?? -1, tags.length],
        texts: [tags, [group]],
      }
    },
  },
}

/** New records without unique keys are stored by one statement. */
const unkeyed: Collection<Note> = {
  ...keyed,
  name: 'unkeyed',
  indexes: { ...keyed.indexes, name: { on: ['group', 'name'] } },
}

test.each([keyed, unkeyed])(
  'gives the same answers as the store in memory, whatever is stored and asked: $name',
  { timeout: 120_000 },
  async (notes) => {
    const next = randomOf(7)
    const below = (n: number): number => Math.floor(next() * n)
    const pick = <T>(some: readonly T[]): T => some[below(some.length)] as T
    const groups = ['g', 'h', 'broken', 'ü\0', '\ud800', '😀', '']
    const tags = ['red', 'Red', 'a\u001fb', '\\', '\0', '😀', '']
    const aNote = (n: number): Omit<Note, 'version'> =>
      note(n, {
        group: pick(groups),
        name: `name ${below(60)}`,
        due: pick([null, below(20) - 10, 0.5, -0, 1e300]),
        seen: next() < 0.5,
        tags: Array.from({ length: below(3) }, () => pick(tags)),
      })
    const aWhere = (depth = 0): Where => {
      const kinds = [
        'flag',
        'number',
        'text',
        'member',
        'id',
        ...(depth < 2 ? ['all', 'any', 'not', 'not'] : []),
      ]
      switch (pick(kinds)) {
        case 'flag':
          return { flag: pick(['seen', 'due']) }
        case 'number': {
          const number = pick(['due', 'tags'])
          return next() < 0.5 ? { number, above: below(5) } : { number, below: below(5) }
        }
        case 'text':
          return pick<Where>([
            { text: 'tag', equals: pick(tags) },
            { text: 'tag', begins: pick([...tags, 'r', '\ud83d']) },
            { text: 'group', equals: pick(groups) },
          ])
        case 'member':
          return pick<Where>([
            { member: 'seen', equals: true },
            { member: 'due', equals: 3 },
            { member: 'due', equals: null },
            { member: 'tags', contains: 'RED' },
            { member: 'group', equals: pick(groups) },
          ])
        case 'id':
          return { member: 'id', equals: pick([note(below(80)).id, '\0']) }
        case 'not':
          return { not: aWhere(depth + 1) }
        case 'all':
          return { all: Array.from({ length: below(3) }, () => aWhere(depth + 1)) }
        default:
          return { any: Array.from({ length: below(3) }, () => aWhere(depth + 1)) }
      }
    }
    const aQuery = (): PageQuery => {
      const index = pick(['id', 'name', 'due', 'seen'])
      const key = (): (string | number | boolean)[] => {
        if (index === 'id') return [pick([note(below(80)).id, 'n', 'n_00010x', 'zz'])]
        if (index === 'due') return [below(20) - 10, note(below(80)).id].slice(0, 1 + below(2))
        const second = index === 'name' ? `name ${below(60)}` : next() < 0.5
        return [pick(groups), second].slice(0, 1 + below(2))
      }
      return {
        index,
        direction: pick(['asc', 'desc']),
        limit: pick([0, 1, 3, 1000]),
        ...(next() < 0.3 && { prefix: key().slice(0, 1) }),
        ...(next() < 0.4 && { after: key() }),
        ...(next() < 0.3 && { until: key() }),
        ...(next() < 0.3 && { offset: below(10) }),
        ...(index === 'id' && next() < 0.7 && { where: aWhere() }),
        ...(next() < 0.3 && { also: Array.from({ length: below(4) }, () => note(below(80)).id) }),
      }
    }

    const inMemory = await openMemoryStore({ collections: [notes] })
    const inPostgres = await openPostgresStore({
      url: `${server.url}?schema=${notes.name}`,
      collections: [notes],
    })
    const stores: readonly Store[] = [inMemory, inPostgres]
    const outcome = async (work: Promise<unknown>): Promise<unknown> =>
      await work.then(
        (value) => value ?? null,
        (error: unknown) => ({ error: (error as { code?: unknown }).code, message: String(error) }),
      )
    async function same(what: string, ask: (store: Store) => Promise<unknown>): Promise<void> {
      const [one, two] = await Promise.all(stores.map((store) => outcome(ask(store))))
      expect(two, what).toEqual(one)
    }

    for (let round = 0; round < (isLong ? 2000 : 120); round++) {
      const changes: Change[] = Array.from({ length: 1 + below(6) }, () => {
        const n = below(80)
        const kind = pick(['insert', 'insert', 'put', 'put', 'update', 'remove'])
        if (kind === 'insert') return insert(notes, aNote(n))
        if (kind === 'put') return put(notes, aNote(n))
        if (kind === 'update') return update(notes, { ...aNote(n), version: 1 + below(3) })
        return remove(notes, note(n).id, next() < 0.5 ? undefined : 1 + below(3))
      })
      await same(`commit ${round}`, (store) => store.commit(changes))
      const added = Array.from({ length: 1 + below(4) }, () => aNote(below(80)))
      const words = pick(tags)
      await same(`inserts ${round}`, (store) =>
        Promise.allSettled(
          added.map((one) => store.commit([insert(notes, one)], [blobOf(`${one.id}/raw`, words + one.id)])),
        ),
      )
      for (const { id } of added)
        await same('blob', async (store) => String(await store.readBlob(`${id}/raw`)))
      const ids = Array.from({ length: below(20) }, () => note(below(80)).id)
      if (round % 10 === 0)
        await same('bulk', (store) => store.bulk(notes, ids, (one) => ({ ...one, seen: !one.seen })))
      if (round % 25 === 0) await same('bulk', (store) => store.bulk(notes, ids, 'remove'))
      for (let asked = 0; asked < 5; asked++) {
        const query = aQuery()
        const told = `${round}: ${JSON.stringify(query)}`
        await same(told, (store) => store.page(notes, query))
        await same(told, (store) => store.ids(notes, query))
        const { index, prefix, until, where } = query
        await same(told, (store) => store.count(notes, { index, prefix, until, where }))
      }
      await same('tally', async (store) => [...(await store.tally(notes, 'tag'))].sort())
      const grouped = { flag: 'seen', text: 'tag', prefix: pick([...tags, 'r']), counted: ['due', 'seen'] }
      await same('groups', (store) => store.groups(notes, grouped))
    }
    await inMemory.close()
    await inPostgres.close()
  },
)
