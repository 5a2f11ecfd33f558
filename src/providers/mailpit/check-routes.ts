import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import { consentRequired } from '../../server/dev/consent.ts'
import { readErrors } from '../../server/dev/mail.ts'
import type { Route } from '../../server/route.ts'
import { isFromProgram } from './browser.ts'
import { htmlCheck, spamCheck, toLinkCheck } from './checks.ts'
import { defineMailpitRoutes } from './define-routes.ts'
import { idOf } from './latest.ts'
import { linkCheckQuery, matchQuery } from './requests.ts'
import { htmlCheckSchema, linkCheckSchema, spamCheckSchema } from './schema.ts'

const { get } = defineMailpitRoutes('Checks')

/** The checks of a message. */
export function checkRoutes(inbox: Inbox & InboxPages): Route[] {
  return [
    get('/api/v1/message/{id}/html-check', {
      summary: 'How mail clients support the HTML of a message',
      query: matchQuery,
      success: { schema: htmlCheckSchema },
      errors: [...readErrors, 'invalid_query'],
      async handler({ params, query, signal }) {
        const id = await idOf(inbox, params.id, query, signal())
        return htmlCheck(inbox, id, signal())
      },
    }),
    get('/api/v1/message/{id}/link-check', {
      // It requests the links of a mail, which may change something elsewhere.
      needs: 'full',
      summary: 'Request each link of a message once',
      query: linkCheckQuery,
      success: { schema: linkCheckSchema },
      errors: [...readErrors, 'invalid_query', 'consent_required'],
      async handler({ params, query, headers, signal }) {
        if (!isFromProgram(headers))
          throw consentRequired('This would request the links of a mail', 'Send the request from a program.')
        const id = await idOf(inbox, params.id, query, signal())
        return toLinkCheck(await inbox.outside.links(id, { signal: signal() }))
      },
    }),
    get('/api/v1/message/{id}/sa-check', {
      summary: 'The report of SpamAssassin, or the findings of the checks where none is configured',
      query: matchQuery,
      success: { schema: spamCheckSchema },
      errors: [...readErrors, 'invalid_query'],
      async handler({ params, query, signal }) {
        return spamCheck(inbox, await idOf(inbox, params.id, query, signal()), signal())
      },
    }),
  ]
}
