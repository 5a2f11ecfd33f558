import { z } from 'zod'
import type { ErrorCode } from '../../core/errors.ts'
import type { Face } from '../../server/face.ts'
import { missingSetCause } from '../ses/configuration-sets.ts'
import { awsErrorOf, awsMessageOf, otherErrorName, signaturePlace } from '../ses/face.ts'
import { toErrorAnswer } from './xml.ts'

/** The codes of errors that version 1 has in place of those of version 2. */
const known: Readonly<Partial<Record<ErrorCode, string>>> = {
  missing_api_key: 'MissingAuthenticationToken',
  invalid_api_key: 'InvalidClientTokenId',
  insufficient_scope: 'AccessDenied',
  template_not_found: 'TemplateDoesNotExist',
  invalid_template: 'InvalidTemplate',
  missing_variable: 'MissingRenderingAttributeException',
  method_not_allowed: 'InvalidAction',
  not_supported: 'InvalidAction',
  rate_limit_exceeded: 'Throttling',
}

/** @see https://docs.aws.amazon.com/ses/latest/APIReference/CommonErrors.html */
export const sesV1Face: Face = {
  name: 'ses-v1',
  title: 'Amazon SES, version 1',
  prefix: '/ses-v1',
  key: signaturePlace,
  errorSchema: z
    .string()
    .describe('XML: `<ErrorResponse><Error><Type/><Code/><Message/></Error></ErrorResponse>`'),
  errorAnswer(error) {
    // Version 1 has a code of its own for it, with another status.
    if (error.cause === missingSetCause)
      return toErrorAnswer({ Type: 'Sender', Code: missingSetCause, Message: error.message }, 400)
    const [status, name] = awsErrorOf(error)
    const code = known[error.code] ?? (name === otherErrorName ? 'InvalidParameterValue' : name)
    const type = status >= 500 ? 'Receiver' : 'Sender'
    return toErrorAnswer({ Type: type, Code: code, Message: awsMessageOf(error) }, status, error.headers)
  },
  connect: {
    variables: {
      AWS_ENDPOINT_URL_SES: '{url}/ses-v1',
      AWS_ACCESS_KEY_ID: '{key}',
      AWS_SECRET_ACCESS_KEY: 'any',
      AWS_REGION: 'us-east-1',
    },
    code: `import { SESClient, SendEmailCommand } from '@aws-sdk/client-ses'

const client = new SESClient({
  endpoint: '{url}/ses-v1',
  region: 'us-east-1',
  credentials: { accessKeyId: '{key}', secretAccessKey: 'any' },
})
const { MessageId } = await client.send(
  new SendEmailCommand({
    Source: 'Acme <hi@acme.test>',
    Destination: { ToAddresses: ['ada@example.com'] },
    Message: { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'It works.' } } },
  }),
)`,
  },
  unsupported: [],
}
