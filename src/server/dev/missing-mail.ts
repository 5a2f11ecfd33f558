import { z } from 'zod'
import type { ServerDeps } from '../deps.ts'
import { defineRoutes, type Route } from '../define-routes.ts'
import { validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { isId } from '../../core/ids.ts'
import { missingMailSchema } from '../../inbox/missing-schema.ts'
import { dateForms, readDate } from '../../search/query-values.ts'

const { get } = defineRoutes({ tag: 'Instance', access: 'local' })

/** `/dev/missing`. Whether mail for a recipient is in another account is told only to who may see all accounts. */
export function missingRoutes({ inbox, clock }: Pick<ServerDeps, 'inbox' | 'clock'>): Route[] {
  return [
    get('/dev/missing', {
      summary: 'Why there is no mail: what happened and what to do, the likeliest cause first',
      query: z.strictObject({
        to: z
          .string()
          .min(1)
          .max(320)
          .optional()
          .describe('A recipient: an address, or a part of one. Default: any'),
        since: z
          .string()
          .max(100)
          .optional()
          .describe(
            `From when on something may have happened: the id of a mail, ${dateForms}. Default: an hour ago`,
          ),
      }),
      success: { schema: missingMailSchema },
      errors: ['invalid_query'],
      handler: ({ query: { to, since }, may, signal }) =>
        inbox.missing.explain(
          { to, since: timeOf(since, clock.now()), signal: signal() },
          { seesAccounts: may('admin') },
        ),
    }),
  ]
}

function timeOf(since: string | undefined, now: number): Date | string | undefined {
  if (since === undefined || isId('em', since)) return since
  const time = readDate(since, now)
  if (time !== null) return new Date(time)
  const message = `is ${quote(since)}; it takes the id of a mail, ${dateForms}`
  throw validationError([{ field: 'since', message }])
}
