import { openMemoryStore } from '../../src/store/open.ts'
import { describeStoreContract } from '../contracts/store.ts'

describeStoreContract('in memory', (collections) => openMemoryStore({ collections }))
