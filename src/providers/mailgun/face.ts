import { z } from 'zod'
import type { ErrorCode, FieldError } from '../../core/errors.ts'
import { jsonAnswer } from '../../server/answer.ts'
import { basicOf } from '../../server/auth.ts'
import type { Face, KeyPlace } from '../../server/face.ts'
import { sentencesOf } from '../error-sentences.ts'
import { mailgun } from './conventions.ts'

const keyPlace: KeyPlace = {
  of: (headers) => basicOf(headers)?.password ?? null,
  headerForms: ['Authorization: Basic <api:API_KEY in base64>'],
  challenge: 'Basic realm="localpost"',
  scheme: { type: 'http', scheme: 'basic', description: 'The name `api`, with the API key as the password' },
}

/** What Mailgun answers in place of our status. */
const statusOfCode: Readonly<Partial<Record<ErrorCode, number>>> = {
  validation_error: 400,
  missing_variable: 400,
  invalid_attachment: 400,
  invalid_cursor: 400,
  invalid_template: 400,
  template_not_found: 400,
  domain_not_registered: 400,
  domain_exists: 400,
  name_taken: 400,
  webhook_exists: 400,
  state_conflict: 400,
}

/** @see https://documentation.mailgun.com/docs/mailgun/api-reference/intro */
export const mailgunFace: Face = {
  name: mailgun,
  title: 'Mailgun',
  prefix: '/mailgun',
  key: keyPlace,
  errorSchema: z.strictObject({ message: z.string() }),
  errorAnswer: (error) =>
    jsonAnswer(
      { message: sentencesOf(error, inWords) },
      statusOfCode[error.code] ?? error.status,
      error.headers,
    ),
  connect: {
    variables: { MAILGUN_API_URL: '{url}/mailgun', MAILGUN_API_KEY: '{key}' },
    code: `import Mailgun from 'mailgun.js'

const mailgun = new Mailgun(FormData).client({
  username: 'api',
  key: '{key}',
  url: '{url}/mailgun',
})
const { id } = await mailgun.messages.create('acme.test', {
  from: 'Acme <hi@acme.test>',
  to: ['ada@example.com'],
  subject: 'Hello',
  text: 'It works.',
})`,
  },
  unsupported: [
    { method: 'POST', path: '/v3/domains/{domain}/messages/{key}', what: 'Sending a stored message again' },
    { path: '/v3/domains/{domain}/sending_queues/**', what: 'Queues' },
    { path: '/v3/domains/{domain}/credentials/**', what: 'SMTP credentials of a domain' },
    { path: '/v3/domains/{domain}/connection', what: 'Settings of deliveries' },
    { path: '/v3/domains/{domain}/tracking/**', what: 'Settings of tracking' },
    { path: '/v3/domains/{domain}/tags/**', what: 'Tags of a domain' },
    { path: '/v3/domains/{domain}/limits/**', what: 'Limits' },
    { path: '/v3/domains/{domain}/ips/**', what: 'IP addresses' },
    { path: '/v3/domains/{domain}/pools/**', what: 'IP addresses' },
    { path: '/v3/domains/{domain}/dkim_authority', what: 'Settings of DKIM' },
    { path: '/v3/domains/{domain}/dkim_selector', what: 'Settings of DKIM' },
    { path: '/v3/domains/{domain}/web_prefix', what: 'Settings of links' },
    { path: '/v3/{domain}/envelopes', what: 'Queues' },
    { path: '/v3/{domain}/whitelists/**', what: 'Allowlists' },
    { path: '/v3/{domain}/tags/**', what: 'Statistics of tags' },
    { path: '/v3/{domain}/tag/**', what: 'Statistics of tags' },
    { path: '/v3/{domain}/stats/**', what: 'Statistics' },
    { path: '/v3/{domain}/aggregates/**', what: 'Statistics' },
    { method: 'POST', path: '/v3/{domain}/bounces/import', what: 'Imports of suppressions' },
    { method: 'POST', path: '/v3/{domain}/complaints/import', what: 'Imports of suppressions' },
    { method: 'POST', path: '/v3/{domain}/unsubscribes/import', what: 'Imports of suppressions' },
    { path: '/v3/stats/**', what: 'Statistics' },
    { path: '/v3/lists/**', what: 'Mailing lists' },
    { path: '/v3/routes/**', what: 'Routes of received mail' },
    { path: '/v3/ips/**', what: 'IP addresses' },
    { path: '/v3/ip_pools/**', what: 'IP addresses' },
    { path: '/v3/inbox/**', what: 'Tests of placement' },
    { path: '/v4/address/**', what: 'Validation of addresses' },
    { path: '/v4/templates/**', what: 'Templates of an account' },
    { path: '/v4/inbox/**', what: 'Tests of placement' },
    { path: '/v5/users/**', what: 'Users' },
    { path: '/v5/accounts/subaccounts/**', what: 'Subaccounts' },
    { path: '/v1/**', what: 'Version 1 of the API, which has keys, logs and metrics' },
    { path: '/v2/**', what: 'Version 2 of the API' },
  ],
}

/** Mailgun's form of the names of members. */
function inWords({ field, message }: FieldError): string {
  if (field === 'body') return `The body ${message}.`
  return `'${parameterOf(field)}' parameter ${message}.`
}

/** `headers["X-A"]` of the core is `h:X-A` in the form, and `["o:tag"]` is `o:tag`. */
function parameterOf(field: string): string {
  const [, prefix, plain, quoted] = /^([hv])(?:\.(.*)|\["(.*)"\])$/s.exec(field) ?? []
  if (prefix !== undefined) return `${prefix}:${plain ?? quoted}`
  return field.replace(/^\["(.*)"\]/s, '$1')
}
