import { describeOwnReads } from '../contracts/own-reads.ts'
import { storeTest } from '../contracts/store-test.ts'
import { describeStoreContract } from '../contracts/store.ts'
import { openIn, tempFolder } from './_setup.ts'

describeStoreContract('in a folder', async (collections) => openIn(await tempFolder(), { collections }))

describeStoreContract('in a folder, with syncs and a checkpoint every few commits', async (collections) =>
  openIn(await tempFolder(), {
    collections,
    durability: 'disk',
    checkpointBytes: 2000,
    logFileBytes: 20_000,
  }),
)
describeOwnReads(storeTest(async (collections) => openIn(await tempFolder(), { collections })))
