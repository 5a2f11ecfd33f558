import { faultsInputSchema, faultsSchema } from '../../faults/schema.ts'
import type { Faults } from '../../faults/faults.ts'
import { rulesInputSchema, rulesSchema } from '../../rules/schema.ts'
import type { Rules } from '../../rules/rules.ts'
import { defineRoutes, type Route } from '../define-routes.ts'
import { deletedSchema } from '../lists.ts'

const { get, put, del } = defineRoutes({ tag: 'Rules and faults', access: 'local' })

/** `/dev/rules` and `/dev/faults`: failures on purpose. */
export function ruleAndFaultRoutes(rules: Rules, faults: Faults): Route[] {
  return [
    get('/dev/rules', {
      summary: 'The rules for recipients, in their order',
      success: { schema: rulesSchema },
      handler: () => rules.get(),
    }),
    put('/dev/rules', {
      summary: 'Put these rules for recipients in the place of all',
      body: { schema: rulesInputSchema, readBy: 'resource' },
      success: { schema: rulesSchema },
      handler: ({ body }) => rules.set(body),
    }),
    get('/dev/faults', {
      summary: 'The injected faults, with the counts that are left; null while there are none',
      success: { schema: faultsSchema },
      handler: () => faults.get(),
    }),
    put('/dev/faults', {
      summary: 'Put these faults in the place of all',
      body: { schema: faultsInputSchema, readBy: 'resource' },
      success: { schema: faultsSchema },
      handler: ({ body }) => faults.set(body),
    }),
    del('/dev/faults', {
      summary: 'Remove all faults',
      success: { schema: deletedSchema },
      handler: async () => ({ deleted: await faults.clear() }),
    }),
  ]
}
