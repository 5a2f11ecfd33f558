import { z } from 'zod'
import type { ErrorCode } from '../../core/errors.ts'
import type { Face } from '../../server/face.ts'
import { kindOf, messageOf, signaturePlace } from '../ses/face.ts'
import { toErrorAnswer } from './xml.ts'

/** The codes of errors that version 1 has in place of those of version 2. */
const known: Readonly<Partial<Record<ErrorCode, string>>> = {
  missing_api_key: 'MissingAuthenticationToken',
  invalid_api_key: 'InvalidClientTokenId',
  insufficient_scope: 'AccessDenied',
  template_not_found: 'TemplateDoesNotExist',
  method_not_allowed: 'InvalidAction',
  not_supported: 'InvalidAction',
  rate_limit_exceeded: 'Throttling',
}

/** @see https://docs.aws.amazon.com/ses/latest/APIReference/CommonErrors.html */
export const sesV1Face: Face = {
  title: 'Amazon SES, version 1',
  prefix: '/ses-v1',
  key: signaturePlace,
  errorSchema: z
    .string()
    .describe('XML: `<ErrorResponse><Error><Type/><Code/><Message/></Error></ErrorResponse>`'),
  errorAnswer(error) {
    const [status, name] = kindOf(error)
    const code = known[error.code] ?? (name === 'BadRequestException' ? 'InvalidParameterValue' : name)
    const type = status >= 500 ? 'Receiver' : 'Sender'
    return toErrorAnswer({ Type: type, Code: code, Message: messageOf(error) }, status, error.headers ?? {})
  },
  unsupported: [],
}
