import { z } from 'zod'
import type { LocalpostError } from '../../core/errors.ts'
import { type Answer, bytesAnswer, jsonAnswer } from '../../server/answer.ts'
import { basicOf, bearerPlace } from '../../server/auth.ts'
import type { Face, KeyPlace } from '../../server/face.ts'
import { sentencesOf } from '../error-sentences.ts'

/** An API key as `/dev` takes it, or as the password of Basic authentication, which Mailpit's clients can send. */
const keyPlace: KeyPlace = {
  of: (headers) => bearerPlace.of(headers) ?? basicOf(headers)?.password ?? null,
  headerForms: ['Authorization: Bearer <API_KEY>', 'Authorization: Basic <any name:API_KEY in base64>'],
  challenge: 'Basic realm="localpost"',
  scheme: {
    type: 'http',
    scheme: 'basic',
    description:
      'Any name with an API key as the password, or name and password of a user. `Authorization: Bearer <API_KEY>` works too.',
  },
}

/** @see https://mailpit.axllent.org/docs/api-v1/ */
export const mailpitFace: Face = {
  name: 'mailpit',
  title: 'Mailpit',
  prefix: '/api',
  otherPrefixes: ['/view'],
  access: 'local',
  key: keyPlace,
  credentialsOf: basicOf,
  errorSchema: z.strictObject({ Error: z.string() }),
  errorAnswer,
  connect: {
    variables: { MAILPIT_URL: '{url}' },
    code: `import { MailpitClient } from 'mailpit-api'

const mailpit = new MailpitClient('{url}', { auth: { username: 'any', password: '{key}' } })
const message = await mailpit.waitForMessage({ query: 'to:ada@example.com' })
console.log(message.Subject)`,
  },
  unsupported: [{ path: '/v1/swagger.json', what: 'The Swagger document (use GET /api/openapi.json)' }],
}

/** Mailpit's errors are text with the status 400 or 404; only those of a send are JSON. */
function errorAnswer(error: LocalpostError, pathname: string): Answer {
  const { status, headers } = error
  // Every wrong member, and not only the first one.
  const message = sentencesOf(error, (one) => `${one.field}: ${one.message}`, {
    separator: '; ',
    rest: (count) => `; and ${count} more`,
  })
  const shown = status === 422 ? 400 : status
  if (pathname === '/api/v1/send') return jsonAnswer({ Error: message }, shown, headers)
  return bytesAnswer(message, { 'content-type': 'text/plain; charset=utf-8', ...headers }, shown)
}
