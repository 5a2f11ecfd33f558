import { type FieldError, validationError } from '../../core/errors.ts'
import { isMessageId } from '../../emails/message-id.ts'
import { parseAddresses } from '../../mime/headers/addresses.ts'
import { readHeader } from '../../mime/headers/headers.ts'
import type { SendingRequest } from '../../sending/types.ts'
import type { Translate } from '../translation.ts'
import { readMembers } from './members.ts'
import { addressesOf } from './recipients.ts'
import { checkCustom, customOf, metadataOf, optionsOf, orNothing } from './send-options.ts'
import { mimeSchema } from './send-schema.ts'

/** `POST /v3/{domain}/messages.mime`. @throws validation_error */
export const toMime: Translate = (body, facts) => {
  const { given, headers, variables, files } = readMembers(mimeSchema, body)
  const errors: FieldError[] = []
  const to = addressesOf('to', given.to, errors)
  for (const name of headers.keys())
    errors.push({
      field: `h:${name}`,
      message: 'is not supported beside a whole message: write the field there',
    })
  const [text = ''] = given.message
  const bytes = files.get('message')?.[0]?.content ?? Buffer.from(text)
  const header = readHeader(bytes)
  const custom = customOf(variables, header.fields)
  checkCustom(custom, errors)
  const options = optionsOf(given, facts, errors)
  if (options.tracking?.opens || options.tracking?.clicks)
    errors.push({ field: 'o:tracking', message: 'is not supported: a whole message is never tracked' })
  if (errors.length > 0) throw validationError(errors)
  const messageId = header.decoded('Message-ID').trim()
  const tags = header.fields.flatMap(([name, value]) => (/^x-mailgun-tag$/i.test(name) ? value.trim() : []))
  const request: SendingRequest = {
    tags: orNothing([...(options.tags ?? []), ...tags]),
    send_at: options.send_at,
    metadata: metadataOf(given, custom),
    raw: bytes.toString('base64'),
    envelope: { rcpt_to: to.map((one) => parseAddresses(one)[0]?.address || one) },
  }
  return { emails: [{ request, messageId: isMessageId(messageId) ? messageId : undefined }] }
}
