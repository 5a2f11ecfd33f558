import { describeStoreContract } from '../contracts/store.ts'
import { openIn, tempFolder } from './_setup.ts'

describeStoreContract('in a folder, with syncs and a checkpoint every few commits', async (collections) =>
  openIn(await tempFolder(), {
    collections,
    durability: 'disk',
    checkpointBytes: 2000,
    logFileBytes: 20_000,
  }),
)
