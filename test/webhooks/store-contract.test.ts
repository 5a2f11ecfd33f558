import { systemClock } from '../../src/core/clock.ts'
import { collections } from '../../src/instance/collections.ts'
import { describeStoreContract } from '../contracts/store.ts'
import { openStore } from '../support/adapters.ts'
import { openNoun } from './_noun.ts'

const stoodStill = { ...systemClock, after: () => () => undefined }

describeStoreContract('that announces', async (collectionsOfSuite) => {
  const store = await openStore([...collectionsOfSuite, ...collections])
  const { webhooks } = await openNoun({ store, clock: stoodStill })
  await webhooks.create({ url: 'http://127.0.0.1:9/hooks' })
  return store
})
