import type { FieldError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { addressKey } from '../../mime/headers/addresses.ts'
import { checkProto } from '../request-parts.ts'
import { ownPrefix } from './conventions.ts'
import { maxRecipients, type SendGridMail, type SendGridPersonalization } from './send-schema.ts'

// What the schema cannot say of a request.
// A message that begins with a capital letter is a whole sentence: see `faultOf` in face.ts.

const maxAheadMs = 72 * 3_600_000
const maxSubstitutions = 150

/** Checks a request. @param body  The request body before it was parsed. @param errors  Receives one entry per fault. */
export function checkSend(mail: SendGridMail, body: unknown, now: number, errors: FieldError[]): void {
  checkCommon(mail, errors)
  checkProto(body, ['custom_args'], errors)
  for (const i of mail.personalizations.keys())
    for (const name of ['custom_args', 'dynamic_template_data'])
      checkProto(body, ['personalizations', i, name], errors)
  checkRecipients(mail, errors)
  for (const [i, person] of mail.personalizations.entries()) checkPerson(mail, person, i, now, errors)
}

/** What all emails have in common. */
function checkCommon(mail: SendGridMail, errors: FieldError[]): void {
  const add = (field: string, message: string): number => errors.push({ field, message })
  const { content = [], categories = [], attachments = [] } = mail
  if (mail.reply_to && mail.reply_to_list) add('reply_to_list', 'must not be given together with reply_to')
  if (content.length === 0 && mail.template_id === undefined)
    add(
      'content',
      'The content param is required unless you are using a transactional template and have defined a template_id.',
    )
  if (content[0]?.type === content[1]?.type && content.length > 1)
    add('content[1].type', 'must not be that of the first content')
  else if (content[1]?.type === 'text/plain')
    add(
      'content',
      'Following RFC 1341, section 7.2, if either text/html or text/plain are to be sent in your email: text/plain needs to be first, followed by text/html, followed by any other content.',
    )
  for (const [i, category] of categories.entries()) {
    const message = `The categories must be a unique list, and you have included ${quote(category)} more than once.`
    if (categories.indexOf(category) !== i) add(`categories[${i}]`, message)
  }
  for (const [i, { disposition, content_id }] of attachments.entries())
    if (disposition === 'inline' && content_id === undefined)
      add(`attachments[${i}].content_id`, 'is missing; inline needs it')
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

/** Checks how many recipients there are, and that none of them gets an email twice. */
function checkRecipients({ personalizations }: SendGridMail, errors: FieldError[]): void {
  let count = 0
  for (const [i, { to, cc = [], bcc = [] }] of personalizations.entries()) {
    count += to.length + cc.length + bcc.length
    const twice = firstDuplicate({ to, cc, bcc })
    if (twice)
      errors.push({
        field: `personalizations[${i}]`,
        message: `Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [${twice.email.slice(0, 320)}] in the personalizations.${i}.${twice.name} field.`,
      })
  }
  if (count > maxRecipients)
    errors.push({
      field: 'personalizations',
      message: `There is a limit of ${maxRecipients} total recipients (to + cc + bcc) per request. You have provided ${count}.`,
    })
}

type People = SendGridPersonalization['to']

/** The first address that repeats an earlier one, and the name of its list. */
function firstDuplicate(lists: Readonly<Record<string, People>>): { name: string; email: string } | null {
  const seen = new Set<string>()
  for (const [name, list] of Object.entries(lists)) {
    for (const { email } of list) {
      const key = addressKey(email)
      if (seen.has(key)) return { name, email }
      seen.add(key)
    }
  }
  return null
}
