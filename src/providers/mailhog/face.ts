import type { Face } from '../../server/face.ts'
import { mailpitFace } from '../mailpit/face.ts'

/**
 * MailHog's API, beside Mailpit's: both have paths below `/api`, and so keys and errors of one form.
 *
 * @see https://github.com/mailhog/MailHog/tree/master/docs
 */
export const mailhogFace: Face = {
  ...mailpitFace,
  name: 'mailhog',
  title: 'MailHog',
  prefix: '/api/v2',
  otherPrefixes: ['/api/v1/messages'],
  connect: {
    variables: { MAILHOG_URL: '{url}' },
    code: `const auth = 'Basic ' + btoa('any:{key}')
const answer = await fetch('{url}/api/v2/search?kind=to&query=ada@example.com', { headers: { authorization: auth } })
const { items } = await answer.json()
console.log(items[0].Content.Headers.Subject[0])`,
  },
  unsupported: [
    { path: '/jim/**', what: 'Jim (use PUT /api/v1/chaos or /dev/faults)' },
    { path: '/outgoing-smtp', what: 'The list of SMTP servers (use --relay)' },
    { path: '/websocket', what: 'The websocket of MailHog (use /api/events, or GET /dev/events)' },
  ],
}
