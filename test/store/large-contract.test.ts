import { describeLargeContract } from '../contracts/large.ts'
import { adapters } from '../support/adapters.ts'
import { openIn, tempFolder } from './_setup.ts'

for (const { title, needsDatabase, open } of Object.values(adapters))
  if (!needsDatabase) describeLargeContract(title, (collections) => open(collections, undefined))

describeLargeContract('in a folder, with syncs and a checkpoint every few commits', async (collections) =>
  openIn(await tempFolder(), {
    collections,
    durability: 'disk',
    checkpointBytes: 2000,
    logFileBytes: 20_000,
  }),
)
