import { LocalpostError, messageOf } from '../../core/errors.ts'
import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import { consentRequired } from '../../server/dev/consent.ts'
import { readErrors } from '../../server/dev/mail.ts'
import type { Route } from '../../server/route.ts'
import { isFromProgram } from './browser.ts'
import { findingsAsSpamCheck, toHtmlCheck, toLinkCheck, toSpamCheck } from './checks.ts'
import { defineMailpitRoutes } from './define-routes.ts'
import { idOf } from './latest.ts'
import { linkCheckQuery, matchQuery } from './requests.ts'
import { htmlCheckSchema, linkCheckSchema, spamCheckSchema, type SpamCheck } from './schema.ts'

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
        const { html } = await inbox.read(id, { signal: signal() })
        if (html === '') throw new LocalpostError('validation_error', 'message does not contain HTML')
        return toHtmlCheck(await inbox.clientSupport(id, { signal: signal() }), html)
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
      async handler({ params, query, signal }): Promise<SpamCheck> {
        const id = await idOf(inbox, params.id, query, signal())
        const verdict = await inbox.outside.spam(id, { signal: signal() }).catch((error: unknown) => {
          if (error instanceof LocalpostError) throw error
          signal().throwIfAborted()
          return messageOf(error)
        })
        if (typeof verdict === 'object' && verdict !== null) return toSpamCheck(verdict)
        const reason =
          verdict === null
            ? 'No SpamAssassin was asked: none is configured (--spamd host:port), or the message is too large'
            : `SpamAssassin could not be asked: ${verdict}`
        return findingsAsSpamCheck(await inbox.check(id, { signal: signal() }), reason)
      },
    }),
  ]
}
