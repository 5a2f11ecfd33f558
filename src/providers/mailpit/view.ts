import { LocalpostError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import { bytesAnswer } from '../../server/answer.ts'
import { bytesHeaders, htmlAnswer } from '../../server/dev/guarded-bytes.ts'
import { readErrors } from '../../server/dev/mail.ts'
import type { Route } from '../../server/route.ts'
import { textOf } from './answers.ts'
import { mayBeShown } from './browser.ts'
import { defineMailpitRoutes } from './define-routes.ts'
import { idOf } from './latest.ts'
import { matchQuery } from './requests.ts'

const { get } = defineMailpitRoutes('Testing')

/** `/view/{id}.html` and `/view/{id}.txt`. */
export function viewRoutes(inbox: Inbox & InboxPages): Route[] {
  return [
    get('/view/{id}.html', {
      summary:
        'The HTML of a message. A browser gets it without anything that connects, and runs no scripts in it',
      query: matchQuery,
      success: { type: 'text/html; charset=utf-8', description: 'The HTML, with its own images in place' },
      errors: [...readErrors, 'invalid_query'],
      async handler({ params, query, headers, signal }) {
        const id = await idOf(inbox, params.id, query, signal())
        const html = mayBeShown(headers)
          ? await inbox.page(id, { appearance: null, remote: 'none', signal: signal() })
          : Buffer.from(await inbox.html(id, { signal: signal() }))
        if (html.length > 0) return htmlAnswer(html, 'none')
        throw new LocalpostError('not_found', `The message ${quote(id)} does not contain a HTML part.`)
      },
    }),
    get('/view/{id}.txt', {
      summary: 'The text of a message',
      query: matchQuery,
      success: { type: 'text/plain; charset=utf-8', description: 'The text' },
      errors: [...readErrors, 'invalid_query'],
      async handler({ params, query, signal }) {
        const id = await idOf(inbox, params.id, query, signal())
        const mail = await inbox.read(id, { signal: signal() })
        return bytesAnswer(textOf(mail), { ...bytesHeaders, 'content-type': 'text/plain; charset=utf-8' })
      },
    }),
  ]
}
