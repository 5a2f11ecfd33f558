import { openMemoryStore } from '../../src/store/open.ts'
import { describeOwnReads } from '../contracts/own-reads.ts'
import { storeTest } from '../contracts/store-test.ts'
import { describeStoreContract } from '../contracts/store.ts'

describeStoreContract('in memory', (collections) => openMemoryStore({ collections }))
describeOwnReads(storeTest((collections) => openMemoryStore({ collections })))
