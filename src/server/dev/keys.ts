import { z } from 'zod'
import type { Keys } from '../../keys/keys.ts'
import { apiKeyInputSchema, apiKeySchema } from '../../keys/schema.ts'
import { bearerOf } from '../auth.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../route.ts'
import { deletedSchema } from '../schemas.ts'

/** `/dev/keys` */
export function keyRoutes(keys: Keys): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/keys',
      summary: 'List API keys; for a caller that needs no key, one of scope `full` with its whole value',
      success: { schema: z.strictObject({ keys: z.array(apiKeySchema) }) },
      handler({ isLocal, headers }) {
        const { id } = keys.primary()
        const narrow = keys.scopeOf(bearerOf(headers) ?? '') ?? 'full'
        const shown = isLocal() && narrow === 'full' ? id : null
        return { keys: keys.list({ reveal: (key) => key.id === shown }) }
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/keys',
      summary: 'Make an API key; only this answer has its whole value',
      body: { schema: apiKeyInputSchema, readBy: 'resource', optional: true },
      success: { status: 201, schema: apiKeySchema },
      handler: ({ body }) => keys.create(body),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/dev/keys/{id}',
      summary: 'Remove an API key',
      success: { schema: deletedSchema },
      errors: ['not_found', 'state_conflict'],
      async handler({ params }) {
        await keys.remove(params.id)
        return { deleted: 1 }
      },
    }),
  ]
}

const common = { tag: 'Keys', access: 'local' } as const
