import { type FieldError, LocalpostError, validationError } from '../../core/errors.ts'
import { isRecord } from '../../core/members.ts'
import { quote } from '../../core/quote.ts'
import { parseInput } from '../../core/validate.ts'
import type { SendingRequest, SentAttachment } from '../../sending/types.ts'
import { checkProto, recordOf, trackingOf, translateOne } from '../request-parts.ts'
import type { Translate, Translated } from '../translation.ts'
import { isKept, withKept } from './conventions.ts'
import type { PostmarkCause } from './face.ts'
import { batchSchema, maxBatch, sendSchema, templatedBatchSchema, templatedSchema } from './send-schema.ts'
import type { PostmarkAttachment, PostmarkEmail, PostmarkHeader } from './send-schema.ts'

/** `POST /postmark/email`. @throws validation_error */
export const toSend: Translate = (body) => ({ emails: [{ request: toRequest(body) }] })

/** `POST /postmark/email/batch`. @throws validation_error if it is not an array, or one of too many emails. */
export const toBatch: Translate = (body) => ({
  emails: toEach(parseInput(batchSchema, body), null, toRequest),
})

/** `POST /postmark/email/withTemplate`. @throws validation_error */
export const toTemplatedSend: Translate = (body) => ({ emails: [{ request: toTemplated(body) }] })

/** `POST /postmark/email/batchWithTemplates`. @throws validation_error if it is no list of emails, or one of too many. */
export const toTemplatedBatch: Translate = (body) => ({
  emails: toEach(parseInput(templatedBatchSchema, body).Messages, 'Messages', toTemplated),
})

/** @param list  The member that has the emails; null for the body itself. @throws validation_error for too many of them. */
function toEach(
  emails: readonly unknown[],
  list: string | null,
  translate: (email: unknown) => SendingRequest,
): Translated[] {
  if (emails.length > maxBatch) {
    const message = `has ${emails.length} emails; at most ${maxBatch} are taken. Send them in several requests`
    const errors = [{ field: list ?? 'body', message }]
    const cause: PostmarkCause = 'too_many_messages'
    throw new LocalpostError('validation_error', `The body ${message}.`, { errors, cause })
  }
  return emails.map((email, i) =>
    translateOne(() => {
      if (isRecord(email)) return translate(email)
      const message = `must be an object, not ${quote(email)}`
      throw validationError([{ field: `${list ?? ''}[${i}]`, message }])
    }),
  )
}

function toRequest(body: unknown): SendingRequest {
  const email = parseInput(sendSchema, body)
  const errors: FieldError[] = []
  checkProto(body, ['Metadata'], errors)
  const html = email.HtmlBody ?? ''
  const text = email.TextBody ?? ''
  if (html === '' && text === '')
    errors.push({ field: 'HtmlBody', message: 'is missing: give HtmlBody, TextBody or both' })
  checkShared(email, errors)
  if (errors.length > 0) throw validationError(errors)
  return { ...toShared(email), subject: email.Subject ?? '', html, text }
}

function toTemplated(body: unknown): SendingRequest {
  const { TemplateId, TemplateAlias, TemplateModel, ...email } = parseInput(templatedSchema, body)
  const errors: FieldError[] = []
  checkProto(body, ['Metadata'], errors)
  checkProto(body, ['TemplateModel'], errors)
  const alias = orNothing(TemplateAlias)
  if ((TemplateId == null) === (alias === undefined))
    errors.push({ field: 'TemplateId', message: 'must be given, or TemplateAlias, and not both' })
  checkShared(email, errors)
  if (errors.length > 0) throw validationError(errors)
  return { ...toShared(email), template_id: alias ?? String(TemplateId), data: TemplateModel }
}

/** The members that an email has with and without a template. */
type SharedEmail = Omit<PostmarkEmail, 'Subject' | 'HtmlBody' | 'TextBody'>

/** @param errors  Where what is wrong with the members is added. */
function checkShared(email: SharedEmail, errors: FieldError[]): void {
  if (!email.From) errors.push({ field: 'From', message: 'is missing' })
  if (!email.To && !email.Cc && !email.Bcc)
    errors.push({ field: 'To', message: 'is missing: give at least one recipient in To, Cc or Bcc' })
  if (email.MessageStream === 'inbound')
    errors.push({ field: 'MessageStream', message: 'must not be "inbound", which nothing is sent by' })
  const own = Object.keys(email.Metadata ?? {}).find((name) => isKept(name))
  if (own !== undefined)
    errors.push({ field: 'Metadata', message: `must not have ${quote(own)}, which Localpost keeps itself` })
  checkHeaders(email.Headers ?? [], errors)
}

function toShared(email: SharedEmail): SendingRequest {
  const { TrackOpens, TrackLinks } = email
  const tag = orNothing(email.Tag)
  const replyTo = orNothing(email.ReplyTo)
  const opens = TrackOpens ?? undefined
  const clicks = TrackLinks == null ? undefined : TrackLinks !== 'None'
  return {
    from: orNothing(email.From),
    to: orNothing(email.To),
    cc: orNothing(email.Cc),
    bcc: orNothing(email.Bcc),
    reply_to: replyTo === undefined ? undefined : [replyTo],
    headers: recordOf((email.Headers ?? []).map(({ Name, Value }) => [Name, Value])),
    metadata: withKept(email.Metadata ?? {}, { tag, stream: email.MessageStream ?? undefined }),
    tags: tag === undefined ? undefined : [tag],
    attachments: email.Attachments?.map(toAttachment),
    tracking: trackingOf(opens, clicks),
  }
}

const orNothing = (text: string | null | undefined): string | undefined => (text ? text : undefined)

function checkHeaders(fields: readonly PostmarkHeader[], errors: FieldError[]): void {
  const names = new Set<string>()
  for (const [i, { Name }] of fields.entries()) {
    const field = `Headers[${i}].Name`
    if (/^x-pm-/i.test(Name))
      errors.push({ field, message: `is not supported: ${quote(Name)} has no effect here. Leave it out` })
    else if (names.has(Name)) errors.push({ field, message: `must be given once, not twice: ${quote(Name)}` })
    names.add(Name)
  }
}

function toAttachment({ Name, Content, ContentType, ContentID }: PostmarkAttachment): SentAttachment {
  const content_id = orNothing(ContentID)
    ?.replace(/^cid:/i, '')
    .replace(/^<(.*)>$/s, '$1')
  return { name: Name, content: Content, content_type: orNothing(ContentType), content_id }
}
