import { z } from 'zod'
import { smtpSessionSchema, smtpSessionSummarySchema } from '../../inbox/smtp-session-schema.ts'
import type { ServerDeps } from '../deps.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../route.ts'
import { listSchema, pageMembers, toList } from '../schemas.ts'

/** The SMTP sessions of apps, which show why there is no mail. */
export function smtpSessionRoutes({ smtpSessions }: Pick<ServerDeps, 'smtpSessions'>): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/smtp-sessions',
      summary: 'The SMTP sessions of apps, newest first: what went wrong in each, and what to do',
      query: sessionsQuery,
      success: { schema: listSchema('sessions', smtpSessionSummarySchema) },
      errors: ['invalid_cursor'],
      handler: async ({ query }) => toList('sessions', await smtpSessions.list(query)),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/smtp-sessions/{id}',
      summary: 'One SMTP session with its transcript',
      success: { schema: smtpSessionSchema },
      errors: ['not_found'],
      handler: ({ params }) => smtpSessions.get(params.id),
    }),
  ]
}

const sessionsQuery: z.ZodType<{
  cursor?: string | undefined
  limit?: number | undefined
  failed?: boolean | undefined
}> = z.object({
  ...pageMembers,
  failed: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Only sessions in which something went wrong. Default: false'),
})

const common = { tag: 'Instance', access: 'local' } as const
