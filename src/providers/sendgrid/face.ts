import { z } from 'zod'
import type { ErrorCode, FieldError, LocalpostError } from '../../core/errors.ts'
import { type Answer, bytesAnswer, jsonAnswer } from '../../server/answer.ts'
import { bearerPlace } from '../../server/auth.ts'
import type { Face } from '../../server/face.ts'
import { sendgrid } from './conventions.ts'

/** What SendGrid answers in place of the statuses of our errors. Others keep theirs. */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  validation_error: 400,
  invalid_attachment: 400,
  missing_variable: 400,
  template_not_found: 400,
  invalid_cursor: 400,
  invalid_template: 400,
  webhook_exists: 400,
  state_conflict: 400,
}

/** The member that an error without a list of members is about. */
const memberOfError: Readonly<Partial<Record<ErrorCode, string>>> = {
  template_not_found: 'template_id',
  domain_not_verified: 'from',
  domain_not_registered: 'from',
}

const fault = z.strictObject({ message: z.string(), field: z.string().nullable(), help: z.null() })

/** @see https://www.twilio.com/docs/sendgrid/api-reference/mail-send/errors */
export const sendgridFace: Face = {
  name: sendgrid,
  title: 'SendGrid',
  prefix: '/sendgrid',
  key: bearerPlace,
  errorSchema: z.strictObject({ errors: z.array(fault).min(1) }),
  errorAnswer(error) {
    return jsonAnswer({ errors: faultsOf(error) }, statuses[error.code] ?? error.status, error.headers)
  },
  connect: {
    variables: { SENDGRID_API_KEY: '{key}' },
    code: `import sendgrid from '@sendgrid/mail'

sendgrid.setApiKey('{key}')
// After the key: setApiKey sets the base URL of SendGrid again.
sendgrid.client.setDefaultRequest('baseUrl', '{url}/sendgrid')
const [response] = await sendgrid.send({
  from: 'Acme <hi@acme.test>',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'It works.',
})`,
  },
  unsupported: [
    { path: '/v3/access_settings/**', what: 'Access by IP addresses' },
    { path: '/v3/alerts/**', what: 'Alerts' },
    { path: '/v3/api_keys/**', what: 'API keys' },
    { path: '/v3/asm/groups/**', what: 'Groups of unsubscribes' },
    { method: 'GET', path: '/v3/asm/suppressions', what: 'Groups of unsubscribes' },
    { method: 'GET', path: '/v3/asm/suppressions/{email}', what: 'Groups of unsubscribes' },
    { path: '/v3/browsers/**', what: 'Statistics' },
    { path: '/v3/campaigns/**', what: 'Campaigns' },
    { path: '/v3/categories/**', what: 'Statistics' },
    { path: '/v3/clients/**', what: 'Statistics' },
    { path: '/v3/contactdb/**', what: 'Contacts' },
    { path: '/v3/designs/**', what: 'Designs' },
    { path: '/v3/devices/**', what: 'Statistics' },
    { path: '/v3/geo/**', what: 'Statistics' },
    { path: '/v3/ips/**', what: 'IP addresses' },
    { method: 'GET', path: '/v3/mail/batch/{batch_id}', what: 'The check of a batch id' },
    { path: '/v3/mail_settings/**', what: 'Settings of all mail' },
    { path: '/v3/mailbox_providers/**', what: 'Statistics' },
    { path: '/v3/marketing/**', what: 'Marketing campaigns' },
    { path: '/v3/messages/**', what: 'The activity of emails' },
    { path: '/v3/partner_settings/**', what: 'Settings of partners' },
    { path: '/v3/senders/**', what: 'Sender identities' },
    { path: '/v3/sso/**', what: 'Single sign-on' },
    { path: '/v3/stats', what: 'Statistics' },
    { path: '/v3/subusers/**', what: 'Subusers' },
    { path: '/v3/suppression/blocks/**', what: 'The list of blocks' },
    { path: '/v3/suppression/bounces/classifications/**', what: 'Classifications of bounces' },
    { path: '/v3/suppression/invalid_emails/**', what: 'The list of invalid addresses' },
    { path: '/v3/teammates/**', what: 'Teammates' },
    { path: '/v3/tracking_settings/**', what: 'Settings of tracking' },
    { method: 'PATCH', path: '/v3/user/profile', what: 'Changes of the profile' },
    { path: '/v3/user/account', what: 'The plan of an account' },
    { path: '/v3/user/credits', what: 'The credits of an account' },
    { path: '/v3/user/password', what: 'Changes of the password' },
    { path: '/v3/user/settings/**', what: 'Settings of the user' },
    { path: '/v3/user/scheduled_sends/{batch_id}', what: 'Changes of a cancelled batch' },
    { method: 'GET', path: '/v3/user/scheduled_sends', what: 'The list of cancelled batches' },
    { path: '/v3/user/webhooks/event/settings/signed', what: 'Settings of a webhook without its id' },
    { path: '/v3/user/webhooks/event/test', what: 'Test events' },
    { path: '/v3/user/webhooks/parse/**', what: 'Webhooks of received mail' },
    { path: '/v3/user/webhooks/security/**', what: 'Policies of webhooks' },
    { method: 'POST', path: '/v3/templates/{template_id}', what: 'Copies of templates' },
    { path: '/v3/validations/**', what: 'The validation of addresses' },
    { path: '/v3/verified_senders/**', what: 'Verified senders' },
    { path: '/v3/whitelabel/**', what: 'Authenticated domains' },
  ],
}

/** Answers 204 when the work is done. */
export async function answerNothing(work: Promise<unknown>): Promise<Answer> {
  await work
  return bytesAnswer(null, {}, 204)
}

type Fault = z.output<typeof fault>

function faultsOf({ code, message, errors = [] }: LocalpostError): Fault[] {
  if (errors.length === 0) return [{ message, field: memberOfError[code] ?? null, help: null }]
  return errors.map(faultOf)
}

/** Messages in SendGrid's words are whole sentences, and begin with a capital letter. Others continue the member's name. */
function faultOf({ field: given, message }: FieldError): Fault {
  const field = fieldOf(given)
  const isSentence = /^[A-Z]/.test(message)
  return { message: isSentence ? message : `${field ?? 'The body'} ${message}.`, field, help: null }
}

/** The members that SendGrid's requests have in a personalization, and those of the core in the email. */
const personMembers = new Set(['to', 'cc', 'bcc', 'dynamic_template_data'])

/**
 * A member in SendGrid's form. Null for the whole body.
 *
 * @param given  As the core names it, which puts the index of the email first if a request has several: `[2].to[0]` becomes
 *   `personalizations.2.to.0`, and `to[0]` becomes `personalizations.0.to.0`.
 */
function fieldOf(given: string): string | null {
  if (given === 'body') return null
  const [, index = '0', member = ''] = /^(?:\[(\d+)\]\.?)?(.*)$/s.exec(given) ?? []
  if (member === 'body') return null
  const [first = ''] = /^[\w-]+/.exec(member) ?? []
  const path = personMembers.has(first) ? `personalizations[${index}].${member}` : member
  return path.replaceAll(/\[(\d+)\]/g, '.$1')
}
