import { z } from 'zod'
import type { ErrorCode, FieldError, LocalpostError } from '../../core/errors.ts'
import { jsonAnswer } from '../../server/answer.ts'
import type { Face, KeyPlace } from '../../server/face.ts'
import { sentencesOf } from '../error-sentences.ts'
import { postmark } from './conventions.ts'

const header = 'X-Postmark-Server-Token'

/** A server token is the API key. An account token is read too, so that what is only for those is named as not supported. */
const tokenPlace: KeyPlace = {
  of(headers) {
    const token = headers.get(header) ?? headers.get('x-postmark-account-token')
    return token?.trim() || null
  },
  headerForms: [`${header}: <API_KEY>`],
  scheme: { type: 'apiKey', in: 'header', name: header },
  adviceOn: (key) =>
    key === 'POSTMARK_API_TEST'
      ? 'POSTMARK_API_TEST is no key here: nothing leaves this machine, so mail is sent and can be looked at.'
      : null,
}

/** The status and Postmark's code of an error. */
type Kind = readonly [status: number, code: number]

/** What Postmark answers in place of our errors, wherever they happen. */
const kindByCode: Readonly<Partial<Record<ErrorCode, Kind>>> = {
  missing_api_key: [401, 10],
  invalid_api_key: [401, 10],
  insufficient_scope: [401, 10],
  invalid_json: [422, 402],
  domain_not_registered: [422, 400],
  domain_not_verified: [422, 401],
  template_not_found: [422, 1101],
  invalid_template: [422, 1122],
  name_taken: [422, 1122],
  method_not_allowed: [405, 12],
  not_supported: [501, 12],
  payload_too_large: [413, 300],
  message_too_large: [413, 300],
  unsupported_media_type: [415, 409],
  rate_limit_exceeded: [429, 429],
}

/** The `cause` of an error that Postmark has a code of its own for. Use this type where such an error is thrown. */
export type PostmarkCause = 'inactive_recipients' | 'too_many_messages' | 'cannot_activate'

const codesByCause: Readonly<Record<PostmarkCause, number>> = {
  inactive_recipients: 406,
  too_many_messages: 410,
  cannot_activate: 1003,
}

function isPostmarkCause(cause: unknown): cause is PostmarkCause {
  return typeof cause === 'string' && Object.hasOwn(codesByCause, cause)
}

/** What Postmark answers to a missing record and to wrong input, by the second segment of a path that has codes of its own. */
const areas: Readonly<Record<string, { missing: Kind; wrong: number }>> = {
  messages: { missing: [422, 701], wrong: 700 },
  bounces: { missing: [422, 1001], wrong: 1000 },
  templates: { missing: [422, 1101], wrong: 1122 },
  webhooks: { missing: [422, 12], wrong: 403 },
  'message-streams': { missing: [422, 1226], wrong: 403 },
}

function kindOf({ cause, code, status }: LocalpostError, pathname: string): Kind {
  if (isPostmarkCause(cause)) return [422, codesByCause[cause]]
  const area = areas[pathname.split('/')[2] ?? '']
  if (code === 'not_found') return area?.missing ?? [404, 12]
  return kindByCode[code] ?? (status >= 500 ? [status, 100] : [422, area?.wrong ?? 300])
}

/** An error as Postmark writes it, in an answer of its own or for one email of a batch. */
interface PostmarkError {
  ErrorCode: number
  Message: string
}

/** @param pathname  Of the request; `''` for one email of a batch, whose path is in no area. */
export function toError(error: LocalpostError, pathname: string): PostmarkError {
  return { ErrorCode: kindOf(error, pathname)[1], Message: sentencesOf(error, inWords) }
}

// Clients read addresses from these sentences, so those about an address have Postmark's form.
function inWords({ field, message }: FieldError): string {
  if (field === 'body') return `The body ${message}.`
  const [, address, fault] = /^(?:must be an address: )?"([^"\\]*)" (.*)$/s.exec(message) ?? []
  if (address === undefined || !/^(?:To|Cc|Bcc)$/.test(field)) return `Invalid '${field}': ${message}.`
  const what = fault === 'has none' ? 'is no address' : fault
  return `Error parsing '${field}': Illegal email address '${address}'. It ${what}.`
}

/** @see https://postmarkapp.com/developer/api/overview#error-codes */
export const postmarkFace: Face = {
  name: postmark,
  title: 'Postmark',
  prefix: '/postmark',
  lenient: true,
  key: tokenPlace,
  errorSchema: z.strictObject({ ErrorCode: z.int(), Message: z.string() }),
  errorAnswer(error, pathname) {
    const [status] = kindOf(error, pathname)
    return jsonAnswer(toError(error, pathname), status, error.headers)
  },
  connect: {
    variables: {},
    code: `import { ServerClient } from 'postmark'

const { host, pathname, protocol } = new URL('{url}/postmark')
const client = new ServerClient('{key}', {
  useHttps: protocol === 'https:',
  requestHost: host + pathname,
})
const { MessageID } = await client.sendEmail({
  From: 'Acme <hi@acme.test>',
  To: 'ada@example.com',
  Subject: 'Hello',
  TextBody: 'It works.',
})`,
  },
  unsupported: [
    { path: '/email/bulk/**', what: 'The bulk API' },
    { path: '/messages/inbound/**', what: 'Received messages' },
    { path: '/messages/outbound/opens/**', what: 'The list of opens' },
    { path: '/messages/outbound/clicks/**', what: 'The list of clicks' },
    { path: '/bounces/tags', what: 'The list of tags of bounces' },
    { method: 'PUT', path: '/server', what: 'Changes of the server' },
    { method: 'PUT', path: '/templates/push', what: 'Copies of templates to another server' },
    { path: '/message-streams', what: 'Message streams' },
    { path: '/message-streams/{stream}', what: 'Message streams' },
    { path: '/message-streams/{stream}/archive', what: 'Message streams' },
    { path: '/message-streams/{stream}/unarchive', what: 'Message streams' },
    { path: '/stats/**', what: 'Statistics' },
    { path: '/triggers/**', what: 'Rules for received mail' },
    { path: '/servers/**', what: 'Servers' },
    { path: '/domains/**', what: 'Domains' },
    { path: '/senders/**', what: 'Sender signatures' },
    { path: '/data-removals/**', what: 'Removals of data' },
  ],
}
