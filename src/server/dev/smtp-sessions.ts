import { z } from 'zod'
import { smtpSessionSchema, smtpSessionSummarySchema } from '../../inbox/smtp-session-schema.ts'
import { defineRoutes, type Route } from '../define-routes.ts'
import type { ServerDeps } from '../deps.ts'
import { devPageMembers } from '../lists.ts'
import { queryFlag } from '../query-values.ts'

const { get, list } = defineRoutes({ tag: 'Instance', access: 'local' })

/** The SMTP sessions of apps, which show why there is no mail. */
export function smtpSessionRoutes({ smtpSessions }: Pick<ServerDeps, 'smtpSessions'>): Route[] {
  return [
    list('/dev/smtp-sessions', 'sessions', smtpSessionSummarySchema, {
      summary: 'The SMTP sessions of apps, newest first: what went wrong in each, and what to do',
      query: sessionsQuery,
      handler: ({ query }) => smtpSessions.list(query),
    }),
    get('/dev/smtp-sessions/{id}', {
      summary: 'One SMTP session with its transcript',
      success: { schema: smtpSessionSchema },
      handler: ({ params }) => smtpSessions.get(params.id),
    }),
  ]
}

const sessionsQuery = z.strictObject({
  ...devPageMembers,
  failed: queryFlag().optional().describe('Only sessions in which something went wrong. Default: false'),
})
