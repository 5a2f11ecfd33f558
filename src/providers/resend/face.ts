import { z } from 'zod'
import type { ErrorCode, FieldError, LocalpostError } from '../../core/errors.ts'
import { jsonAnswer } from '../../server/answer.ts'
import { bearerPlace } from '../../server/auth.ts'
import type { Face } from '../../server/face.ts'
import { sentencesOf } from '../error-sentences.ts'
import { resend } from './conventions.ts'
import { missingMember } from './member-errors.ts'

/** The names of Resend's errors that Localpost answers with. */
const errorNames = [
  'application_error',
  'internal_server_error',
  'invalid_api_key',
  'invalid_attachment',
  'invalid_from_address',
  'invalid_idempotency_key',
  'invalid_idempotent_request',
  'invalid_parameter',
  'method_not_allowed',
  'missing_api_key',
  'missing_required_field',
  'not_found',
  'rate_limit_exceeded',
  'restricted_api_key',
  'validation_error',
] as const
type ErrorName = (typeof errorNames)[number]

/** What Resend answers in place of our errors. Others keep their status. */
const known: Readonly<Partial<Record<ErrorCode, readonly [status: number, name: ErrorName]>>> = {
  missing_api_key: [401, 'missing_api_key'],
  insufficient_scope: [401, 'restricted_api_key'],
  invalid_api_key: [403, 'invalid_api_key'],
  not_found: [404, 'not_found'],
  template_not_found: [404, 'not_found'],
  method_not_allowed: [405, 'method_not_allowed'],
  idempotency_conflict: [409, 'invalid_idempotent_request'],
  invalid_attachment: [422, 'invalid_attachment'],
  attachment_failed: [422, 'invalid_attachment'],
  invalid_cursor: [422, 'invalid_parameter'],
  rate_limit_exceeded: [429, 'rate_limit_exceeded'],
  internal_error: [500, 'internal_server_error'],
}

/** The names of validation errors, by the member at fault. Default: `validation_error`. */
const byMember: ReadonlyMap<string, ErrorName> = new Map([
  ['attachments', 'invalid_attachment'],
  ['from', 'invalid_from_address'],
])

/** @see https://resend.com/docs/api-reference/errors */
export const resendFace: Face = {
  name: resend,
  title: 'Resend',
  prefix: '/resend',
  key: bearerPlace,
  errorSchema: z.strictObject({ statusCode: z.int(), name: z.enum(errorNames), message: z.string() }),
  errorAnswer(error) {
    const [statusCode, name] = statusAndNameOf(error)
    return jsonAnswer({ statusCode, name, message: resendMessageOf(error) }, statusCode, error.headers)
  },
  connect: {
    variables: { RESEND_BASE_URL: '{url}/resend', RESEND_API_KEY: '{key}' },
    code: `import { Resend } from 'resend'

const resend = new Resend('{key}', { baseUrl: '{url}/resend' })
const { data, error } = await resend.emails.send({
  from: 'Acme <hi@acme.test>',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'It works.',
})`,
  },
  unsupported: [
    { path: '/emails/metrics', what: 'Metrics' },
    { path: '/emails/receiving/**', what: 'Received emails' },
    { method: 'POST', path: '/emails/{id}/share', what: 'Links to share an email' },
    { path: '/emails/{id}/attachments/**', what: 'The list of attachments' },
    { path: '/domains/claim', what: 'Claims of domains' },
    { path: '/domains/{id}/claim/**', what: 'Claims of domains' },
    { path: '/webhooks/{id}/signing-secret/rotate', what: 'New secrets of webhooks' },
    { path: '/webhooks/{id}/events/**', what: 'The list of events of a webhook' },
    { path: '/api-keys/**', what: 'API keys' },
    { path: '/audiences/**', what: 'Audiences' },
    { path: '/automations/**', what: 'Automations' },
    { path: '/broadcasts/**', what: 'Broadcasts' },
    { path: '/contact-properties/**', what: 'Properties of contacts' },
    { path: '/contacts/**', what: 'Contacts' },
    { path: '/events/**', what: 'Custom events' },
    { path: '/inboxes/**', what: 'Inboxes' },
    { path: '/logs/**', what: 'Logs' },
    { path: '/oauth/**', what: 'OAuth grants' },
    { path: '/segments/**', what: 'Segments' },
    { path: '/suppressions/**', what: 'Suppressions' },
    { path: '/topics/**', what: 'Topics' },
    { path: '/usage', what: 'Usage' },
  ],
}

function statusAndNameOf(error: LocalpostError): readonly [status: number, name: ErrorName] {
  if (error.code === 'validation_error') return ofValidationError(error)
  const { status } = error
  return known[error.code] ?? [status, status >= 500 ? 'application_error' : 'validation_error']
}

function ofValidationError({
  cause,
  errors,
  status,
}: LocalpostError): readonly [status: number, name: ErrorName] {
  if (cause === missingMember) return [422, 'missing_required_field']
  const field = errors?.[0]?.field ?? ''
  if (field === 'Idempotency-Key') return [400, 'invalid_idempotency_key']
  // In a batch, the place of the email comes before the member.
  const [, member = ''] = /^(?:\[\d+\]\.)?(\w+)/.exec(field) ?? []
  return [status, byMember.get(member) ?? 'validation_error']
}

/** An error in words, with Resend's form of the names of members. */
export function resendMessageOf(error: LocalpostError): string {
  return sentencesOf(error, inWords)
}

function inWords({ field, message }: FieldError): string {
  return field === 'body' ? `The body ${message}.` : `Invalid \`${field}\` field: ${message}.`
}
