import { z } from 'zod'
import type { Keys } from '../../keys/keys.ts'
import { apiKeyInputSchema, apiKeySchema } from '../../keys/schema.ts'
import { LocalpostError } from '../../core/errors.ts'
import { jsonAnswer } from '../answer.ts'
import type { Route } from '../route.ts'
import { bodyLimits, defineRoute } from '../route.ts'
import { deletedSchema } from '../schemas.ts'
import type { Sessions } from '../session.ts'

/** `/dev/keys` and `/dev/session`. */
export function keyRoutes(keys: Keys, sessions: Sessions): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/keys',
      summary: 'List API keys; for a caller that needs no key, the first one with its whole value',
      success: { schema: z.strictObject({ keys: z.array(apiKeySchema) }) },
      handler({ isLocal }) {
        const [first, ...others] = keys.list()
        const shown = first && isLocal() ? { ...first, value: keys.primary() } : first
        return { keys: shown ? [shown, ...others] : [] }
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/keys',
      summary: 'Make an API key; only this answer has its whole value',
      body: { schema: apiKeyInputSchema, readBy: 'noun', optional: true },
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
    defineRoute({
      ...common,
      access: 'open',
      method: 'POST',
      path: '/dev/session',
      summary: 'Trade an API key for a session cookie',
      body: { schema: z.strictObject({ key: z.string().min(1) }), maxBytes: bodyLimits.signIn },
      success: { schema: z.strictObject({ status: z.literal('open') }) },
      errors: ['invalid_api_key', 'rate_limit_exceeded'],
      handler({ body, isSecure }) {
        if (!keys.accepts(body.key)) throw new LocalpostError('invalid_api_key', 'There is no such API key.')
        return jsonAnswer({ status: 'open' }, 200, { 'set-cookie': sessions.open(body.key, isSecure()) })
      },
    }),
    defineRoute({
      ...common,
      access: 'open',
      method: 'DELETE',
      path: '/dev/session',
      summary: 'End the session of the cookie',
      success: { schema: z.strictObject({ status: z.literal('closed') }) },
      handler: ({ headers, isSecure }) =>
        jsonAnswer({ status: 'closed' }, 200, { 'set-cookie': sessions.close(headers, isSecure()) }),
    }),
  ]
}

const common = { tag: 'Keys', access: 'local' } as const
