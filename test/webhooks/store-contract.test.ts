import { systemClock } from '../../src/core/clock.ts'
import { collections } from '../../src/instance/collections.ts'
import { openMemoryStore } from '../../src/store/open.ts'
import { describeStoreContract } from '../contracts/store.ts'
import { openNoun } from './_noun.ts'

const stoodStill = { ...systemClock, after: () => () => undefined }

describeStoreContract('that announces', async (collectionsOfSuite) => {
  const store = await openMemoryStore({ collections: [...collectionsOfSuite, ...collections] })
  const { webhooks } = await openNoun({ store, clock: stoodStill })
  await webhooks.create({ url: 'http://127.0.0.1:9/hooks' })
  return webhooks.store
})
