import { type FieldError, LocalpostError, quote, validationError } from '../../core/errors.ts'
import { parseInput } from '../../core/validate.ts'
import { parseAddresses } from '../../mime/headers/addresses.ts'
import type { SendingRequest } from '../../sending/types.ts'
import { bodyLimits } from '../../server/route.ts'
import type { Translate, Translated } from '../translation.ts'
import {
  bulkSchema,
  maxRecipients,
  sendSchema,
  type SesAttachment,
  type SesBulk,
  type SesField,
  type SesSend,
  type SesTag,
  type SesTemplateUse,
} from './send-schema.ts'
import { readTemplateData, sesRendering } from './template-text.ts'
import { configurationSetTag } from './words.ts'

/** `SendEmail`. @throws validation_error */
export const toSend: Translate = (body) => [{ request: toRequest(parseInput(sendSchema, body)) }]

/** `SendBulkEmail`. @throws validation_error if it is wrong as a whole. */
export const toBulk: Translate = (body) => {
  const bulk = parseInput(bulkSchema, body)
  // Each email has all of the content, so a short request could become gigabytes.
  const total = bulk.BulkEmailEntries.length * JSON.stringify(bulk.DefaultContent).length
  if (total > bodyLimits.large) {
    const message = `The content takes ${total} bytes for all emails together; at most ${bodyLimits.large} are taken. Send them in several requests.`
    throw new LocalpostError('message_too_large', message)
  }
  return bulk.BulkEmailEntries.map((_, i): Translated => {
    try {
      return { request: toRequest(entryOf(bulk, i)) }
    } catch (error) {
      if (error instanceof LocalpostError) return { error }
      throw error
    }
  })
}

/** An email of a bulk request, as a request of its own. */
function entryOf(
  { DefaultContent, DefaultEmailTags = [], BulkEmailEntries, ...shared }: SesBulk,
  i: number,
): SesSend {
  const { Template } = DefaultContent
  const entry = BulkEmailEntries[i]
  const { ReplacementTags = [], ReplacementHeaders = [] } = entry ?? {}
  const replaced = new Set(ReplacementTags.map(({ Name }) => Name))
  const headers = new Set(ReplacementHeaders.map(({ Name }) => Name.toLowerCase()))
  return {
    ...shared,
    Destination: entry?.Destination,
    EmailTags: [...DefaultEmailTags.filter(({ Name }) => !replaced.has(Name)), ...ReplacementTags],
    Content: {
      Template: {
        ...Template,
        TemplateData: mergeData(
          Template.TemplateData,
          entry?.ReplacementEmailContent?.ReplacementTemplate?.ReplacementTemplateData,
        ),
        Headers: [
          ...(Template.Headers ?? []).filter(({ Name }) => !headers.has(Name.toLowerCase())),
          ...ReplacementHeaders,
        ],
      },
    },
  }
}

/** The default data, with the members of an entry in place of its own. */
function mergeData(given: string | undefined, replacement: string | undefined): string | undefined {
  if (replacement === undefined || given === undefined) return replacement ?? given
  return JSON.stringify({ ...readTemplateData(given), ...readTemplateData(replacement) })
}

function toRequest(email: SesSend): SendingRequest {
  const errors: FieldError[] = []
  const { Simple, Raw, Template } = email.Content
  const { ToAddresses = [], CcAddresses = [], BccAddresses = [] } = email.Destination ?? {}
  const all = [...ToAddresses, ...CcAddresses, ...BccAddresses]
  if (all.length > maxRecipients)
    errors.push({
      field: 'Destination',
      message: `must have at most ${maxRecipients} addresses, not ${all.length}`,
    })
  if (!Raw && email.FromEmailAddress === undefined)
    errors.push({ field: 'FromEmailAddress', message: 'is missing' })
  if (!Raw && all.length === 0) errors.push({ field: 'Destination', message: 'must have an address' })
  if (Raw && email.ReplyToAddresses?.length)
    errors.push({
      field: 'ReplyToAddresses',
      message: 'is not supported beside Raw: write the field Reply-To',
    })
  for (const [i, one] of (Simple ?? Template)?.Attachments?.entries() ?? []) {
    if (one.ContentDisposition === 'INLINE' && one.ContentId === undefined)
      errors.push({ field: `Attachments[${i}].ContentId`, message: 'is missing; INLINE needs it' })
  }
  const metadata = toMetadata(email, errors)
  if (errors.length > 0) throw validationError(errors)
  const { OpenTrackingEnabled, ClickTrackingEnabled } = email.ConfigurationOverrides?.Tracking ?? {}
  const opens = isEnabled(OpenTrackingEnabled)
  const clicks = isEnabled(ClickTrackingEnabled)
  const shared = {
    metadata,
    ...(opens === undefined && clicks === undefined ? {} : { tracking: { opens, clicks } }),
  }
  if (Raw) {
    const mail_from = email.FromEmailAddress && bareAddress(email.FromEmailAddress)
    const envelope = { mail_from, rcpt_to: all.length > 0 ? all.map(bareAddress) : undefined }
    return { ...shared, raw: Raw.Data, envelope }
  }
  const { Headers, Attachments } = Simple ?? Template ?? {}
  return {
    ...shared,
    from: email.FromEmailAddress,
    to: orNothing(ToAddresses),
    cc: orNothing(CcAddresses),
    bcc: orNothing(BccAddresses),
    reply_to: orNothing(email.ReplyToAddresses ?? []),
    headers: toHeaders(Headers ?? []),
    attachments: Attachments?.map(toAttachment),
    ...(Template
      ? toTemplated(Template)
      : {
          subject: Simple?.Subject.Data,
          text: Simple?.Body.Text?.Data,
          html: Simple?.Body.Html?.Data,
        }),
  }
}

/** The address of a text that may have a display name; the text itself, to be refused, if it has none or several. */
function bareAddress(text: string): string {
  const [first, ...more] = parseAddresses(text)
  return first && more.length === 0 ? first.address : text
}

const orNothing = (addresses: string[]): string[] | undefined =>
  addresses.length > 0 ? addresses : undefined

function isEnabled(given: 'ENABLED' | 'DISABLED' | undefined): boolean | undefined {
  return given === undefined ? undefined : given === 'ENABLED'
}

function toMetadata(
  { EmailTags = [], ConfigurationSetName }: SesSend,
  errors: FieldError[],
): Record<string, string> | undefined {
  const metadata = new Map<string, string>()
  if (ConfigurationSetName !== undefined) metadata.set(configurationSetTag, ConfigurationSetName)
  for (const [i, { Name, Value }] of (EmailTags satisfies SesTag[]).entries()) {
    if (metadata.has(Name))
      errors.push({ field: `EmailTags[${i}].Name`, message: `must be given once, not twice: ${quote(Name)}` })
    metadata.set(Name, Value)
  }
  return metadata.size === 0 ? undefined : Object.fromEntries(metadata)
}

/** @throws validation_error for a field that is given twice. */
function toHeaders(fields: readonly SesField[]): Record<string, string> | undefined {
  const headers = new Map<string, string>()
  for (const { Name, Value } of fields) {
    if (headers.has(Name))
      throw validationError([{ field: 'Headers', message: `must not have ${quote(Name)} twice` }])
    headers.set(Name, Value)
  }
  return headers.size === 0 ? undefined : Object.fromEntries(headers)
}

/** @throws validation_error */
function toTemplated({
  TemplateName,
  TemplateContent,
  TemplateData,
}: SesTemplateUse): Pick<SendingRequest, 'template_id' | 'subject' | 'html' | 'text' | 'data' | 'rendering'> {
  if ((TemplateName === undefined) === (TemplateContent === undefined))
    throw validationError([
      { field: 'Template', message: 'must have either TemplateName or TemplateContent' },
    ])
  const data = TemplateData === undefined ? {} : readTemplateData(TemplateData)
  const { Subject, Html, Text } = TemplateContent ?? {}
  return {
    template_id: TemplateName,
    subject: Subject,
    html: Html,
    text: Text,
    data,
    rendering: sesRendering,
  }
}

type SentAttachment = NonNullable<SendingRequest['attachments']>[number]

function toAttachment({
  RawContent,
  FileName,
  ContentType,
  ContentId,
  ContentDisposition,
}: SesAttachment): SentAttachment {
  const content_id = ContentDisposition === 'ATTACHMENT' ? undefined : ContentId?.replace(/^<(.*)>$/, '$1')
  return { name: FileName, content: RawContent, content_type: ContentType, content_id }
}
