import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { blobOf, insert, type Store } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { labels, note, notes } from '../contracts/notes.ts'
import { describePartitions } from '../contracts/partitions.ts'
import { describeStoreContract } from '../contracts/store.ts'
import { openIn, tempFolder } from './_setup.ts'

const collections = [notes, labels]

/** A partition that closes its store, as the contract of a store wants it. */
function partOf(store: PartitionedStore): Store {
  return { ...store.partition('acc_1'), close: () => store.close() }
}

describeStoreContract('a partition in a folder, with a checkpoint every few commits', async (wanted) =>
  partOf(await openIn(await tempFolder(), { collections: wanted, checkpointBytes: 2000 })),
)
describePartitions('in a folder, with a checkpoint every few commits', async (wanted) =>
  openIn(await tempFolder(), { collections: wanted, checkpointBytes: 2000 }),
)

test('a partition is there after each start, from the log and from files of records', async () => {
  const dir = await tempFolder()
  for (let start = 0; start < 3; start++) {
    const store = await openIn(dir, { collections })
    const [one, two] = [store.partition('one'), store.partition('two')]
    expect(await one.count(notes)).toBe(start)
    await one.commit([insert(notes, note(start))], [blobOf(`${note(start).id}/raw`, `one ${start}`)])
    await two.commit([insert(labels, { id: `l_${start}`, title: `t${start}` })])
    await store.close()
  }
  const store = await openIn(dir, { collections })
  const one = store.partition('one')
  expect(await one.count(notes, { index: 'seen', prefix: ['g', false] })).toBe(3)
  expect((await one.readBlob('n_00000/raw'))?.toString()).toBe('one 0')
  expect(await store.partition('two').find(labels, 'title', ['t2'])).toMatchObject({ id: 'l_2' })
  expect(await store.count(notes)).toBe(0)
  await store.removePartition('one')
  await store.close()
  expect(readdirSync(dir).filter((name) => name.includes('.one'))).toEqual([])
  const last = await openIn(dir, { collections })
  expect(last.partitions()).toEqual(['two'])
  await last.close()
})
