import { describeAdapter } from '../contracts/adapter.ts'
import { adapters } from '../support/adapters.ts'

for (const adapter of Object.values(adapters)) if (!adapter.needsDatabase) describeAdapter(adapter)
