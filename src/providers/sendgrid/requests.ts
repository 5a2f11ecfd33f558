import { type FieldError, validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { escapedPattern, quotedString } from '../../core/text.ts'
import { parseInput } from '../../core/validate.ts'
import { normalizeAddress } from '../../mime/headers/addresses.ts'
import { headerFault } from '../../sending/recipients.ts'
import type { SendingRequest, SentAttachment } from '../../sending/types.ts'
import { ContentBudget } from '../content-budget.ts'
import { recordOf, trackingOf } from '../request-parts.ts'
import type { Translate } from '../translation.ts'
import { checkSend } from './checks.ts'
import { ownMetadata } from './conventions.ts'
import {
  mailSchema,
  type SendGridAddress,
  type SendGridAttachment,
  type SendGridMail,
  type SendGridPersonalization,
} from './send-schema.ts'

/** `POST /sendgrid/v3/mail/send`: an email for each personalization. @throws validation_error, message_too_large. */
export const toSend: Translate = (body, { now }) => {
  const mail = parseInput(mailSchema, body)
  const errors: FieldError[] = []
  checkSend(mail, body, now, errors)
  const toAddress = createAddressReader(errors)
  const common = commonMembers(mail)
  const from = toAddress(mail.from, 'from')
  assertRepeatable(mail)
  const context = { mail, toAddress, substituted: new ContentBudget('personalizations', substitutionAdvice) }
  const requests = mail.personalizations.map((person, i) => ({
    ...common,
    ...toEmail(person, `personalizations[${i}]`, context),
    from: person.from ? toAddress(person.from, `personalizations[${i}].from`) : from,
  }))
  if (errors.length > 0) throw validationError(errors)
  return {
    emails: requests.map((request) => ({ request })),
    checkOnly: mail.mail_settings?.sandbox_mode?.enable === true,
  }
}

/**
 * Checks, before the emails are made, that what the personalizations have in common is not too much: the email of each has it.
 *
 * @throws message_too_large
 */
function assertRepeatable({ personalizations, ...common }: SendGridMail): void {
  const repeated = new ContentBudget('personalizations')
  repeated.take(personalizations.length * JSON.stringify(common).length)
}

/** Substituted texts have a limit of their own, because their length is known only once they are made. */
const substitutionAdvice = 'Send them in several requests, or substitute shorter texts'

/** What the emails of a request are made of, besides their personalizations. */
interface EmailContext {
  readonly mail: SendGridMail
  readonly toAddress: AddressReader
  /** How long the substituted texts of all emails may be. */
  readonly substituted: ContentBudget
}

/** The members that each email has as they are. */
function commonMembers(mail: SendGridMail): SendingRequest {
  const { attachments, categories, tracking_settings, mail_settings } = mail
  const { open_tracking, click_tracking } = tracking_settings ?? {}
  return {
    attachments: attachments?.map(toAttachment),
    tags: categories,
    ignore_suppressions: mail_settings?.bypass_list_management?.enable || undefined,
    tracking: trackingOf(open_tracking?.enable, click_tracking?.enable),
  }
}

function toEmail(
  person: SendGridPersonalization,
  field: string,
  { mail, toAddress, substituted }: EmailContext,
): SendingRequest {
  const { to, cc, bcc, substitutions, subject = mail.subject, send_at = mail.send_at } = person
  const fill = (text: string): string => (substitutions ? substitute(text, substitutions, substituted) : text)
  const all = (name: 'to' | 'cc' | 'bcc', list: typeof to = []): string[] | undefined =>
    list.length === 0 ? undefined : list.map((one, i) => toAddress(one, `${field}.${name}[${i}]`))
  return {
    to: all('to', to),
    cc: all('cc', cc),
    bcc: all('bcc', bcc),
    reply_to: replyTo(mail, fill, toAddress),
    headers: toHeaders(mail.headers, person.headers),
    metadata: toMetadata(mail, person),
    send_at: send_at === undefined ? undefined : send_at * 1000,
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

/**
 * Replaces texts by others in one pass, so that a value is never searched again. Where two of them begin at one place, the
 * longer one counts.
 *
 * @param substitutions  What replaces each text: null counts as empty.
 * @param budget  The result is taken from it. @throws message_too_large before the result is larger.
 */
function substitute(
  text: string,
  substitutions: Readonly<Record<string, string | null>>,
  budget: ContentBudget,
): string {
  const values = new Map(Object.entries(substitutions))
  const names = [...values.keys()].sort((one, other) => other.length - one.length)
  if (names.length === 0) return text
  budget.take(text.length)
  return text.replace(new RegExp(names.map(escapedPattern).join('|'), 'g'), (name) => {
    const value = values.get(name) ?? ''
    budget.take(value.length - name.length)
    return value
  })
}

function replyTo(
  { reply_to, reply_to_list }: SendGridMail,
  fill: (text: string) => string,
  toAddress: AddressReader,
): string[] | undefined {
  const given = reply_to_list ?? (reply_to && [reply_to])
  return given?.map(({ email, name }, i) => {
    const filled = { email: fill(email), name: name && fill(name) }
    return toAddress(filled, reply_to_list ? `reply_to_list[${i}]` : 'reply_to')
  })
}

/** The fields of an email: those of its personalization replace those of the request. */
function toHeaders(
  shared: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, string>> = {},
): Record<string, string> | undefined {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const kept = Object.entries(shared).filter(([name]) => !names.has(name.toLowerCase()))
  return recordOf([...kept, ...Object.entries(own)])
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
  return recordOf(Object.entries(metadata))
}

function toAttachment(given: SendGridAttachment): SentAttachment {
  const { content, filename, type, disposition } = given
  const content_id = disposition === 'attachment' ? undefined : given.content_id?.replace(/^<(.*)>$/s, '$1')
  return { name: filename || 'attachment', content, content_type: type, content_id }
}

/** Checks an address, and gives it as the core takes it: `Ada <ada@example.com>`. */
type AddressReader = (address: SendGridAddress, field: string) => string

/** @param errors  Receives one entry per invalid address. */
function createAddressReader(errors: FieldError[]): AddressReader {
  return ({ email, name = '' }, field) => {
    const checked = normalizeAddress(email)
    if ('problem' in checked)
      errors.push({
        field: `${field}.email`,
        message: `Does not contain a valid address. ${quote(email)} ${checked.problem}.`,
      })
    const fault = headerFault(name)
    if (fault !== null) errors.push({ field: `${field}.name`, message: `${quote(name)} ${fault}` })
    return name === '' ? email : `${toPhrase(name)} <${email}>`
  }
}

/** A display name as it is written before an address. @see RFC 5322 section 3.2.5 */
function toPhrase(name: string): string {
  return /^[\w-]+(?: [\w-]+)*$/.test(name) ? name : quotedString(name)
}
