import { z } from 'zod'
import type { ErrorCode, FieldError, LocalpostError } from '../../core/errors.ts'
import { jsonAnswer } from '../../server/answer.ts'
import type { Face, KeyPlace } from '../../server/face.ts'
import { ses, templateDataName } from './conventions.ts'
import { unsupportedPaths } from './unsupported.ts'

/**
 * The access key id in the signature of a request is the API key. The signature itself is not checked: that takes the
 * secret access key, which only the client has.
 */
export const signaturePlace: KeyPlace = {
  of(headers) {
    const [, key] = credential.exec(headers.get('authorization') ?? '') ?? []
    return key ?? null
  },
  headerForms: ['Authorization: AWS4-HMAC-SHA256 Credential=<API_KEY>/<date>/<region>/ses/aws4_request'],
  scheme: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'AWS Signature Version 4. The access key id is the API key; the signature is not checked',
  },
}

const credential = /^AWS4-HMAC-SHA256 {1,10}(?:[^\s,][^,]{0,2000}, {0,10})?Credential=([^\s/,]{1,300})\//

/** The names of errors that are answered in place of ours. The others have that of their status. */
const errorNames: Readonly<Partial<Record<ErrorCode, readonly [status: number, name: string]>>> = {
  missing_api_key: [403, 'MissingAuthenticationTokenException'],
  invalid_api_key: [403, 'UnrecognizedClientException'],
  insufficient_scope: [403, 'AccessDeniedException'],
  not_found: [404, 'NotFoundException'],
  template_not_found: [404, 'NotFoundException'],
  method_not_allowed: [405, 'UnknownOperationException'],
  not_supported: [501, 'UnknownOperationException'],
  domain_exists: [400, 'AlreadyExistsException'],
  name_taken: [400, 'AlreadyExistsException'],
  state_conflict: [400, 'LimitExceededException'],
  domain_not_verified: [400, 'MessageRejected'],
  domain_not_registered: [400, 'MessageRejected'],
  message_too_large: [400, 'MessageRejected'],
  rate_limit_exceeded: [429, 'TooManyRequestsException'],
  internal_error: [500, 'InternalFailure'],
  service_unavailable: [503, 'ServiceUnavailable'],
}

/** The name of an error of the caller that has none of its own. */
export const otherErrorName = 'BadRequestException'

/**
 * The status and the name of an error, as AWS answers it. The status of an error of the caller that is not in
 * {@link errorNames} becomes 400.
 */
export function awsErrorOf({ code, status }: LocalpostError): readonly [status: number, name: string] {
  return errorNames[code] ?? (status >= 500 ? [status, 'InternalFailure'] : [400, otherErrorName])
}

/** An error in words. Members are named in the text, because SES answers have no place for them. */
export function awsMessageOf({ code, errors, message }: LocalpostError): string {
  if (!errors || errors.length === 0) return message
  if (code === 'missing_variable') return errors.slice(0, maxNamed).map(inRenderingData).join(' ')
  const all = errors.slice(0, maxNamed).map(({ field, message: fault }) => `${field} ${fault}`)
  return `${all.join('; ')}${errors.length > maxNamed ? `; and ${errors.length - maxNamed} more` : ''}.`
}

const maxNamed = 10

function inRenderingData({ field }: FieldError): string {
  const start = `${templateDataName}.`
  const at = field.indexOf(start)
  const attribute = at === -1 ? field : field.slice(at + start.length)
  return `Attribute '${attribute}' is not present in the rendering data.`
}

/** @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html */
export const sesFace: Face = {
  name: ses,
  title: 'Amazon SES',
  prefix: '/ses',
  key: signaturePlace,
  errorSchema: z.strictObject({ message: z.string() }),
  errorAnswer(error) {
    const [status, name] = awsErrorOf(error)
    return jsonAnswer({ message: awsMessageOf(error) }, status, {
      ...error.headers,
      'x-amzn-errortype': name,
    })
  },
  connect: {
    variables: {
      AWS_ENDPOINT_URL_SESV2: '{url}/ses',
      AWS_ACCESS_KEY_ID: '{key}',
      AWS_SECRET_ACCESS_KEY: 'any',
      AWS_REGION: 'us-east-1',
    },
    code: `import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'

const client = new SESv2Client({
  endpoint: '{url}/ses',
  region: 'us-east-1',
  credentials: { accessKeyId: '{key}', secretAccessKey: 'any' },
})
const { MessageId } = await client.send(
  new SendEmailCommand({
    FromEmailAddress: 'Acme <hi@acme.test>',
    Destination: { ToAddresses: ['ada@example.com'] },
    Content: {
      Simple: { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'It works.' } } },
    },
  }),
)`,
  },
  unsupported: unsupportedPaths.map(([path, what]) => ({ path: `/v2/email/${path}`, what })),
}
