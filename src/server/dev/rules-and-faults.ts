import { faultsInputSchema, faultsSchema } from '../../faults/schema.ts'
import type { Faults } from '../../faults/faults.ts'
import { rulesInputSchema, rulesSchema } from '../../rules/schema.ts'
import type { Rules } from '../../rules/rules.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../route.ts'
import { deletedSchema } from '../schemas.ts'

/** `/dev/rules` and `/dev/faults`: failures on purpose. */
export function ruleAndFaultRoutes(rules: Rules, faults: Faults): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/rules',
      summary: 'The rules for recipients, in their order',
      success: { schema: rulesSchema },
      handler: () => rules.get(),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      path: '/dev/rules',
      summary: 'Put these rules for recipients in the place of all',
      body: { schema: rulesInputSchema, readBy: 'resource' },
      success: { schema: rulesSchema },
      handler: ({ body }) => rules.set(body),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/faults',
      summary: 'The injected faults, with the counts that are left; null while there are none',
      success: { schema: faultsSchema },
      handler: () => faults.get(),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      path: '/dev/faults',
      summary: 'Put these faults in the place of all',
      body: { schema: faultsInputSchema, readBy: 'resource' },
      success: { schema: faultsSchema },
      handler: ({ body }) => faults.set(body),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/dev/faults',
      summary: 'Remove all faults',
      success: { schema: deletedSchema },
      handler: async () => ({ deleted: await faults.clear() }),
    }),
  ]
}

const common = { tag: 'Rules and faults', access: 'local' } as const
