import { z } from 'zod'
import { type FieldError, validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { quotedString } from '../../core/text.ts'
import { parseInput } from '../../core/validate.ts'
import { normalizeAddress } from '../../mime/headers/addresses.ts'
import type { SendingRequest } from '../../sending/types.ts'
import type { Translate } from '../translation.ts'
import { anyCase } from './requests.ts'

const person = anyCase({ Name: z.string().max(1000).optional(), Email: z.string().max(1000) })
const people = z.array(person).max(1000).optional()
type Person = z.output<typeof person>

const request = {
  From: person,
  To: people,
  Cc: people,
  Bcc: z.array(z.string().max(1000)).max(1000).optional(),
  ReplyTo: people,
  Subject: z.string().optional(),
  Text: z.string().optional(),
  HTML: z.string().optional(),
  Headers: z.record(z.string(), z.string()).optional().describe('Further header fields'),
  Tags: z.array(z.string().min(1).max(1000)).max(1000).optional(),
  Attachments: z
    .array(
      anyCase({
        Content: z.string().describe('The bytes in base64, also after the head of a `data:` URI'),
        Filename: z.string(),
        ContentType: z.string().optional().describe('Default: by the file name'),
        ContentID: z.string().optional().describe('Makes it a part of the HTML, which shows it by `cid:`'),
      }),
    )
    .max(1000)
    .optional(),
}
const sendSchema = anyCase(request)

/** The body of `POST /api/v1/send`. Of any type, which keeps the declarations of the package short. */
export const sendBody: z.ZodType = sendSchema

/** Translates the body of a send. */
export const toSend: Translate = (body) => ({ emails: [{ request: toSendingRequest(body) }] })

function toSendingRequest(given: unknown): SendingRequest {
  const { From, To, Cc, Bcc, ReplyTo, Subject, Text, HTML, Headers, Tags, Attachments } = parseInput(
    sendSchema,
    given,
  )
  const errors: FieldError[] = []
  const toMailbox = (field: string, { Name = '', Email }: Person): string => {
    const checked = normalizeAddress(Email)
    if ('problem' in checked)
      errors.push({ field, message: `invalid address ${quote(Email)}: it ${checked.problem}` })
    return Name === '' ? `<${Email}>` : `${quotedString(Name)} <${Email}>`
  }
  const all = (field: string, list: readonly Person[] = []): string[] | undefined =>
    list.length === 0 ? undefined : list.map((one, i) => toMailbox(`${field}[${i}]`, one))
  const bcc = Bcc?.map((Email) => ({ Email }))
  const sending: SendingRequest = {
    from: toMailbox('From', From),
    to: all('To', To),
    cc: all('Cc', Cc),
    bcc: all('Bcc', bcc),
    reply_to: all('ReplyTo', ReplyTo),
    subject: Subject ?? '',
    html: HTML,
    // Mailpit takes a message without a body, which the core does not.
    text: Text || (HTML ? undefined : '\n'),
    headers: Headers,
    tags: Tags,
    attachments: Attachments?.map(({ Content, Filename, ContentType, ContentID }) => ({
      name: Filename,
      content: Content.slice(Content.lastIndexOf(',') + 1),
      content_type: ContentType || undefined,
      content_id: ContentID || undefined,
    })),
  }
  if (errors.length > 0) throw validationError(errors)
  return sending
}

/** The names of the members of requests, by those of the core. */
export const requestMemberNames: Readonly<Record<string, string>> = {
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  reply_to: 'ReplyTo',
  subject: 'Subject',
  html: 'HTML',
  text: 'Text',
  headers: 'Headers',
  tags: 'Tags',
  attachments: 'Attachments',
  'attachments[].name': 'Attachments[].Filename',
  'attachments[].content': 'Attachments[].Content',
  'attachments[].content_type': 'Attachments[].ContentType',
  'attachments[].content_id': 'Attachments[].ContentID',
}
