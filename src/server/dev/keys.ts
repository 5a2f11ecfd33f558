import { z } from 'zod'
import type { Keys } from '../../keys/keys.ts'
import { apiKeyInputSchema, apiKeySchema } from '../../keys/schema.ts'
import { bearerOf } from '../auth.ts'
import { defineRoutes, type Route } from '../define-routes.ts'

const { get, post, remove } = defineRoutes({ tag: 'Keys', access: 'local' })

/** `/dev/keys` */
export function keyRoutes(keys: Keys): Route[] {
  return [
    get('/dev/keys', {
      summary: 'List API keys; for a caller that needs no key, one of scope `full` with its whole value',
      success: { schema: z.strictObject({ keys: z.array(apiKeySchema) }) },
      handler({ isLocal, headers }) {
        const { id } = keys.primary()
        // A local caller that sends a key sees what that key may see.
        const scope = keys.scopeOf(bearerOf(headers) ?? '') ?? 'full'
        const shown = isLocal() && scope === 'full' ? id : null
        return { keys: keys.list({ reveal: (key) => key.id === shown }) }
      },
    }),
    post('/dev/keys', {
      needs: 'admin',
      summary: 'Make an API key; only this answer has its whole value',
      body: { schema: apiKeyInputSchema, readBy: 'resource', optional: true },
      success: { status: 201, schema: apiKeySchema },
      handler: ({ body }) => keys.create(body),
    }),
    remove('/dev/keys/{id}', {
      needs: 'admin',
      summary: 'Remove an API key',
      errors: ['state_conflict'],
      handler: ({ params }) => keys.remove(params.id),
    }),
  ]
}
