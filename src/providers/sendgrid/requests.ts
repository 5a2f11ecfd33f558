import { type FieldError, LocalpostError, quote, validationError } from '../../core/errors.ts'
import { parseInput } from '../../core/validate.ts'
import type { SendingRequest } from '../../sending/types.ts'
import { bodyLimits } from '../../server/route.ts'
import { checkProto } from '../own-names.ts'
import type { Translate } from '../translation.ts'
import { checkRecipients, createWriter, type Writer } from './people.ts'
import {
  mailSchema,
  type SendGridAttachment,
  type SendGridMail,
  type SendGridPersonalization,
} from './send-schema.ts'
import { type Room, substitute } from './substitutions.ts'
import { ownMetadata, ownPrefix } from './words.ts'

/** `POST /sendgrid/v3/mail/send`: an email for each personalization. @throws validation_error, message_too_large. */
export const toSend: Translate = (body, { now }) => {
  const mail = parseInput(mailSchema, body)
  const errors: FieldError[] = []
  checkMail(mail, errors)
  checkProto(body, ['custom_args'], errors)
  for (const i of mail.personalizations.keys())
    for (const name of ['custom_args', 'dynamic_template_data'])
      checkProto(body, ['personalizations', i, name], errors)
  checkRecipients(mail, errors)
  for (const [i, person] of mail.personalizations.entries()) checkPerson(mail, person, i, now, errors)
  const write = createWriter(errors)
  const shared = sharedOf(mail)
  const from = write(mail.from, 'from')
  assertSize(mail)
  const room: Room = { left: bodyLimits.large }
  const requests = mail.personalizations.map((person, i) => ({
    ...shared,
    ...toEmail(mail, person, `personalizations[${i}]`, write, room),
    from: person.from ? write(person.from, `personalizations[${i}].from`) : from,
  }))
  if (errors.length > 0) throw validationError(errors)
  const checkOnly = mail.mail_settings?.sandbox_mode?.enable === true
  return requests.map((request) => ({ request, checkOnly }))
}

/** The checks of what all emails have in common. */
function checkMail(mail: SendGridMail, errors: FieldError[]): void {
  const { content = [], categories = [], attachments = [] } = mail
  if (mail.reply_to && mail.reply_to_list)
    errors.push({ field: 'reply_to_list', message: 'must not be given together with reply_to' })
  if (content.length === 0 && mail.template_id === undefined)
    errors.push({
      field: 'content',
      message:
        'The content param is required unless you are using a transactional template and have defined a template_id.',
    })
  if (content[0]?.type === content[1]?.type && content.length > 1)
    errors.push({ field: 'content[1].type', message: 'must not be that of the first content' })
  else if (content[1]?.type === 'text/plain')
    errors.push({
      field: 'content',
      message:
        'Following RFC 1341, section 7.2, if either text/html or text/plain are to be sent in your email: text/plain needs to be first, followed by text/html, followed by any other content.',
    })
  for (const [i, category] of categories.entries())
    if (categories.indexOf(category) !== i)
      errors.push({
        field: `categories[${i}]`,
        message: `The categories must be a unique list, and you have included ${quote(category)} more than once.`,
      })
  for (const [i, { disposition, content_id }] of attachments.entries())
    if (disposition === 'inline' && content_id === undefined)
      errors.push({ field: `attachments[${i}].content_id`, message: 'is missing; inline needs it' })
  checkArgs(mail.custom_args, 'custom_args', errors)
}

function checkPerson(
  mail: SendGridMail,
  person: SendGridPersonalization,
  i: number,
  now: number,
  errors: FieldError[],
): void {
  const add = (member: string, message: string): number =>
    errors.push({ field: `personalizations[${i}].${member}`, message })
  const isTemplate = mail.template_id !== undefined
  const { subject = mail.subject, send_at = mail.send_at, substitutions } = person
  if (subject === undefined && !isTemplate)
    add(
      'subject',
      'The subject is required. You can get around this requirement if you use a template with a subject defined or if every personalization has a subject defined.',
    )
  if (send_at !== undefined && send_at * 1000 > now + maxAheadMs)
    add('send_at', 'Scheduling more than 72 hours in advance is forbidden.')
  if (substitutions && isTemplate)
    add('substitutions', 'must not be given with template_id: give dynamic_template_data')
  if (Object.keys(substitutions ?? {}).length > maxSubstitutions)
    add('substitutions', `Substitutions are limited to ${maxSubstitutions} items per personalization block.`)
  if (person.dynamic_template_data && !isTemplate)
    add('dynamic_template_data', 'must only be given with template_id')
  checkArgs(person.custom_args, `personalizations[${i}].custom_args`, errors)
}

function checkArgs(
  args: Readonly<Record<string, string>> | undefined,
  field: string,
  errors: FieldError[],
): void {
  const own = Object.keys(args ?? {}).find((name) => name.startsWith(ownPrefix))
  if (own !== undefined)
    errors.push({
      field,
      message: `must not have ${quote(own)}: Localpost has names with ${quote(ownPrefix)} itself`,
    })
}

const maxAheadMs = 72 * 3_600_000
const maxSubstitutions = 150

// Each email has all of the content, so a short request could become gigabytes.
function assertSize({ personalizations, ...shared }: SendGridMail): void {
  const total = personalizations.length * JSON.stringify(shared).length
  if (total <= bodyLimits.large) return
  const message = `The content takes ${total} bytes for all personalizations together; at most ${bodyLimits.large} are taken. Send them in several requests.`
  throw new LocalpostError('message_too_large', message)
}

function sharedOf({
  attachments,
  categories,
  tracking_settings,
  mail_settings,
}: SendGridMail): SendingRequest {
  const opens = tracking_settings?.open_tracking?.enable
  const clicks = tracking_settings?.click_tracking?.enable
  return {
    attachments: attachments?.map(toAttachment),
    tags: categories,
    ...(mail_settings?.bypass_list_management?.enable && { ignore_suppressions: true }),
    ...(opens === undefined && clicks === undefined ? {} : { tracking: { opens, clicks } }),
  }
}

function toEmail(
  mail: SendGridMail,
  person: SendGridPersonalization,
  field: string,
  write: Writer,
  room: Room,
): SendingRequest {
  const { to, cc, bcc, substitutions, subject = mail.subject, send_at = mail.send_at } = person
  const fill = (text: string): string => (substitutions ? substitute(text, substitutions, room) : text)
  const all = (name: 'to' | 'cc' | 'bcc', list: typeof to = []): string[] | undefined =>
    list.length === 0 ? undefined : list.map((one, i) => write(one, `${field}.${name}[${i}]`))
  return {
    to: all('to', to),
    cc: all('cc', cc),
    bcc: all('bcc', bcc),
    reply_to: replyTo(mail, fill, write),
    headers: toHeaders(mail.headers, person.headers),
    metadata: toMetadata(mail, person),
    ...(send_at !== undefined && { send_at: send_at * 1000 }),
    ...(mail.template_id === undefined
      ? { subject: fill(subject ?? ''), ...toBodies(mail, fill) }
      : { template_id: mail.template_id, data: person.dynamic_template_data ?? {}, rendering }),
  }
}

/** As SendGrid renders: it escapes values in the subject and in texts too. */
const rendering = { missing: 'empty', escape: 'all', helpers: 'extended' } as const

function toBodies(
  { content = [], tracking_settings }: SendGridMail,
  fill: (text: string) => string,
): Pick<SendingRequest, 'text' | 'html'> {
  const valueOf = (type: string): string | undefined => content.find((one) => one.type === type)?.value
  const [text, html] = [valueOf('text/plain'), valueOf('text/html')]
  const tag = tracking_settings?.open_tracking?.substitution_tag
  const shown = tag ? html?.replaceAll(tag, '') : html
  return { text: text && fill(text), html: shown && fill(shown) }
}

function replyTo(
  { reply_to, reply_to_list }: SendGridMail,
  fill: (text: string) => string,
  write: Writer,
): string[] | undefined {
  const given = reply_to_list ?? (reply_to && [reply_to])
  return given?.map(({ email, name }, i) => {
    const filled = { email: fill(email), name: name && fill(name) }
    return write(filled, reply_to_list ? `reply_to_list[${i}]` : 'reply_to')
  })
}

/** The fields of an email: those of its personalization replace those of the request. */
function toHeaders(
  shared: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, string>> = {},
): Record<string, string> | undefined {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const kept = Object.entries(shared).filter(([name]) => !names.has(name.toLowerCase()))
  const all = [...kept, ...Object.entries(own)]
  return all.length === 0 ? undefined : Object.fromEntries(all)
}

function toMetadata(
  { custom_args, categories = [], asm, batch_id }: SendGridMail,
  person: SendGridPersonalization,
): Record<string, string> | undefined {
  const metadata: Record<string, string> = {
    ...custom_args,
    ...person.custom_args,
    ...(categories.length > 0 && { [ownMetadata.categories]: categories.join('\n') }),
    ...(asm && { [ownMetadata.group]: String(asm.group_id) }),
    ...(batch_id !== undefined && { [ownMetadata.batch]: batch_id }),
  }
  return Object.keys(metadata).length === 0 ? undefined : metadata
}

function toAttachment({
  content,
  filename,
  type,
  disposition,
  content_id,
}: SendGridAttachment): NonNullable<SendingRequest['attachments']>[number] {
  return {
    name: filename || 'attachment',
    content,
    content_type: type,
    content_id: disposition === 'attachment' ? undefined : content_id?.replace(/^<(.*)>$/s, '$1'),
  }
}
