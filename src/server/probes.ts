import { z } from 'zod'
import { createSharedWork } from '../core/shared-work.ts'
import { jsonAnswer } from './answer.ts'
import type { ServerDeps, ServerState } from './deps.ts'
import { defineRoutes, type Route } from './define-routes.ts'

const { get } = defineRoutes({ tag: 'Instance', access: 'open' })

/**
 * The probes of containers and load balancers. They need no key, so they say nothing about what is stored, and name no
 * paths: `/dev/health` has the details.
 */
export function probeRoutes({ state }: Pick<ServerDeps, 'state'>): Route[] {
  // Callers at the same time share one look, because anybody may call, and it may ask the database.
  const looks = createSharedWork()

  return [
    get('/livez', {
      summary: 'Whether the process answers; needs no key',
      success: { schema: livezSchema },
      handler: () => jsonAnswer({ status: 'ok' }),
    }),
    get('/readyz', {
      summary:
        'Whether mail can be stored and the SMTP port accepts connections, with the reasons if not; needs no key',
      success: { schema: readyzSchema, alsoStatus: [503] },
      async handler() {
        const reason = reasonOf(await looks.run('state', state))
        return reason === null
          ? jsonAnswer({ status: 'ready', reasons: [] })
          : jsonAnswer({ status: 'not_ready', reasons: [reason] }, 503)
      },
    }),
  ]
}

const livezSchema = z.strictObject({ status: z.literal('ok') })
const readyzSchema = z.strictObject({
  status: z.enum(['ready', 'not_ready']).describe('`not_ready` comes with status 503'),
  reasons: z.array(z.string()).describe('Why it is not ready, in sentences'),
})

function reasonOf({ status, refusal }: ServerState): string | null {
  if (status !== 'refusing') return reasons[status]
  return `New mail cannot be stored: ${refusals[refusal ?? 'store_failed']}. GET /dev/health says more.`
}

const reasons: Readonly<Record<Exclude<ServerState['status'], 'refusing'>, string | null>> = {
  ok: null,
  disk_low: null,
  starting: 'The SMTP port does not accept connections.',
  closing: 'The instance is closing.',
}

const refusals: Readonly<Record<NonNullable<ServerState['refusal']>, string>> = {
  disk_full: 'the disk is full',
  database_away: 'the database does not answer',
  store_failed: 'the store cannot be written',
}
