import { type FieldError, validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { parseInput } from '../../core/validate.ts'
import { parseAddresses } from '../../mime/headers/addresses.ts'
import type { SendingRequest, SentAttachment } from '../../sending/types.ts'
import { ContentBudget } from '../content-budget.ts'
import { recordOf, trackingOf, translateOne } from '../request-parts.ts'
import type { Translate } from '../translation.ts'
import { configurationSetTag } from './conventions.ts'
import {
  bulkSchema,
  maxRecipients,
  sendSchema,
  type SesAttachment,
  type SesBulk,
  type SesField,
  type SesSend,
  type SesTemplateUse,
} from './send-schema.ts'
import { readTemplateData, sesRendering } from './template-text.ts'

/** `SendEmail`. @throws validation_error */
export const toSend: Translate = (body) => ({
  emails: [{ request: toRequest(parseInput(sendSchema, body)) }],
})

/** `SendBulkEmail`. @throws validation_error if it is wrong as a whole. */
export const toBulk: Translate = (body) => {
  const bulk = parseInput(bulkSchema, body)
  new ContentBudget('emails').take(bulk.BulkEmailEntries.length * JSON.stringify(bulk.DefaultContent).length)
  const emails = bulk.BulkEmailEntries.map((entry) => translateOne(() => toRequest(toSingle(bulk, entry))))
  return { emails }
}

/** @throws validation_error */
function toRequest(email: SesSend): SendingRequest {
  const errors: FieldError[] = []
  checkEmail(email, errors)
  const metadata = toMetadata(email, errors)
  if (errors.length > 0) throw validationError(errors)
  const { OpenTrackingEnabled, ClickTrackingEnabled } = email.ConfigurationOverrides?.Tracking ?? {}
  const tracking = trackingOf(isEnabled(OpenTrackingEnabled), isEnabled(ClickTrackingEnabled))
  const shared = { metadata, tracking }
  return email.Content.Raw
    ? { ...shared, ...toRaw(email, email.Content.Raw) }
    : { ...shared, ...toComposed(email) }
}

function checkEmail(email: SesSend, errors: FieldError[]): void {
  const { Content, FromEmailAddress, Destination, ReplyToAddresses } = email
  const { Simple, Raw, Template } = Content
  const add = (field: string, message: string): number => errors.push({ field, message })
  const { length } = recipientsOf(Destination)
  if (length > maxRecipients)
    add('Destination', `must have at most ${maxRecipients} addresses, not ${length}`)
  if (!Raw && FromEmailAddress === undefined) add('FromEmailAddress', 'is missing')
  if (!Raw && length === 0) add('Destination', 'must have an address')
  if (Raw && ReplyToAddresses?.length)
    add('ReplyToAddresses', 'is not supported beside Raw: write the field Reply-To')
  for (const [i, one] of (Simple ?? Template)?.Attachments?.entries() ?? [])
    if (one.ContentDisposition === 'INLINE' && one.ContentId === undefined)
      add(`Attachments[${i}].ContentId`, 'is missing; INLINE needs it')
}

function recipientsOf(destination: SesSend['Destination'] = {}): string[] {
  const { ToAddresses = [], CcAddresses = [], BccAddresses = [] } = destination
  return [...ToAddresses, ...CcAddresses, ...BccAddresses]
}

/** A whole message. */
function toRaw({ FromEmailAddress, Destination }: SesSend, { Data }: { Data: string }): SendingRequest {
  const recipients = recipientsOf(Destination)
  const mail_from = FromEmailAddress && bareAddress(FromEmailAddress)
  const envelope = { mail_from, rcpt_to: recipients.length > 0 ? recipients.map(bareAddress) : undefined }
  return { raw: Data, envelope }
}

/** A message in parts, or from a template. */
function toComposed({ Content, FromEmailAddress, Destination, ReplyToAddresses }: SesSend): SendingRequest {
  const { Simple, Template } = Content
  const { Headers, Attachments } = Simple ?? Template ?? {}
  return {
    from: FromEmailAddress,
    to: orNothing(Destination?.ToAddresses),
    cc: orNothing(Destination?.CcAddresses),
    bcc: orNothing(Destination?.BccAddresses),
    reply_to: orNothing(ReplyToAddresses),
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

const orNothing = (addresses: string[] | undefined): string[] | undefined =>
  addresses?.length ? addresses : undefined

function isEnabled(given: 'ENABLED' | 'DISABLED' | undefined): boolean | undefined {
  return given === undefined ? undefined : given === 'ENABLED'
}

function toMetadata(
  { EmailTags = [], ConfigurationSetName }: SesSend,
  errors: FieldError[],
): Record<string, string> | undefined {
  const metadata = new Map<string, string>()
  if (ConfigurationSetName !== undefined) metadata.set(configurationSetTag, ConfigurationSetName)
  for (const [i, { Name, Value }] of EmailTags.entries()) {
    if (metadata.has(Name))
      errors.push({ field: `EmailTags[${i}].Name`, message: `must be given once, not twice: ${quote(Name)}` })
    metadata.set(Name, Value)
  }
  return recordOf(metadata)
}

/** @throws validation_error for a field that is given twice. */
function toHeaders(fields: readonly SesField[]): Record<string, string> | undefined {
  const headers = new Map<string, string>()
  for (const { Name, Value } of fields) {
    if (headers.has(Name))
      throw validationError([{ field: 'Headers', message: `must not have ${quote(Name)} twice` }])
    headers.set(Name, Value)
  }
  return recordOf(headers)
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
  const { Subject: subject, Html: html, Text: text } = TemplateContent ?? {}
  return { template_id: TemplateName, subject, html, text, data, rendering: sesRendering }
}

function toAttachment(given: SesAttachment): SentAttachment {
  const { RawContent, FileName, ContentType, ContentId, ContentDisposition } = given
  const content_id = ContentDisposition === 'ATTACHMENT' ? undefined : ContentId?.replace(/^<(.*)>$/, '$1')
  return { name: FileName, content: RawContent, content_type: ContentType, content_id }
}

type Entry = SesBulk['BulkEmailEntries'][number]

/** An email of a bulk request, as a request of its own. */
function toSingle(
  { DefaultContent, DefaultEmailTags = [], BulkEmailEntries: _all, ...shared }: SesBulk,
  { Destination, ReplacementTags = [], ReplacementHeaders = [], ReplacementEmailContent }: Entry,
): SesSend {
  const { Template } = DefaultContent
  const replaced = new Set(ReplacementTags.map(({ Name }) => Name))
  const headers = new Set(ReplacementHeaders.map(({ Name }) => Name.toLowerCase()))
  return {
    ...shared,
    Destination,
    EmailTags: [...DefaultEmailTags.filter(({ Name }) => !replaced.has(Name)), ...ReplacementTags],
    Content: {
      Template: {
        ...Template,
        TemplateData: mergeData(
          Template.TemplateData,
          ReplacementEmailContent?.ReplacementTemplate?.ReplacementTemplateData,
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
