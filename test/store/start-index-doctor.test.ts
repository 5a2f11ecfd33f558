import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { copyOf, inspect, noProcesses, madeOnce } from './_setup.ts'
import { items, collections, open, makeClosed, indexIn, checked } from './_start-index.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

const closed = madeOnce(() => makeClosed())

describe('doctor', () => {
  const look = async (dir: string): Promise<string[]> => {
    const { findings } = await inspect(dir, { collections, processes: noProcesses })
    return findings
      .filter(({ subject }) => subject === 'index')
      .map(({ level, message, fix }) => `${level}: ${message} ${fix ?? ''}`)
  }

  /** A folder whose indexes are of its files as they are on this disk. */
  async function sound(): Promise<string> {
    const dir = await closed()
    const { store } = await open(dir, { files: nodeFiles })
    await store.ids(items, { where: { flag: 'seen' } })
    await store.close()
    return dir
  }

  it('says that indexes agree with their files, and names those that are not used', async () => {
    const dir = await sound()
    expect(await look(dir)).toEqual([expect.stringMatching(/^ok: 4 indexes/)])
    await truncate(indexIn(dir, 2), 100)
    expect(await look(dir)).toEqual([
      expect.stringContaining(indexIn(dir, 2)),
      expect.stringMatching(/^ok: 3 indexes/),
    ])
    // In a copy, every file is another one.
    expect(await look(await copyOf(dir))).toEqual([expect.stringMatching(/^ok: .*000001.idx, .*others/)])
  })

  it.each<[string, RegExp, (head: Head) => void, ((columns: Buffer) => void)?]>([
    [
      'the key of a record',
      /other keys of i_000010/,
      ({ keyed }) => void (keyed[1] = [10, 1, [[11, 'i_000010']]]),
    ],
    [
      'a place',
      /other places of i_000003/,
      () => {},
      (columns) => columns.writeUInt32LE(7, placesAt + 8 * 3),
    ],
    ['facts', /other facts of i_000003/, () => {}, (columns) => columns.writeUInt32LE(9, flagsAt + 4 * 3)],
    [
      'an id',
      /lacks i_000999.*does not have/,
      () => {},
      (columns) => columns.write('x', columns.byteLength - 4),
    ],
    ['the space of messages', /places of messages/, ({ usage }) => void (usage.logs = [[1, 5, 5]])],
  ])('finds an index with a valid checksum in which %s is wrong', async (_, found, inHead, inColumns) => {
    const dir = await sound()
    const bytes = await readFile(indexIn(dir))
    const end = bytes.indexOf('\n')
    const head = JSON.parse(bytes.toString('utf8', 0, end)) as Head
    inHead(head)
    const columns = Buffer.from(bytes.subarray(end + 1, -4))
    inColumns?.(columns)
    await writeFile(indexIn(dir), checked(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), columns])))
    const [problem = ''] = await look(dir)
    expect(problem).toMatch(found)
    expect(problem).toContain(`problem: ${indexIn(dir)}`)
    expect(problem).toContain('remove')
    await rm(indexIn(dir))
    expect(await look(dir)).toEqual([expect.stringMatching(/^ok: 3 indexes/)])
  })
})

interface Head {
  keyed: unknown[]
  usage: { logs: unknown[] }
}

// 990 records: two columns of numbers, then places and flags.
const placesAt = 990 * (8 + 8)
const flagsAt = placesAt + 990 * 8
