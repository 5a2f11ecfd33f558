import { type FieldError, validationError } from '../../core/errors.ts'
import type { FormFile } from '../../core/form-entry.ts'
import { isMessageId } from '../../emails/message-id.ts'
import { addressKey, parseAddresses } from '../../mime/headers/addresses.ts'
import { maxHeaders } from '../../sending/schema.ts'
import type { SendingRequest, SentAttachment } from '../../sending/types.ts'
import { ContentBudget } from '../content-budget.ts'
import { recordOf } from '../request-parts.ts'
import type { Translate } from '../translation.ts'
import { versionMark } from './conventions.ts'
import { readObject } from './json-parameter.ts'
import { readMembers, type SendMembers } from './members.ts'
import { personalize, readRecipientVariables } from './personalization.ts'
import { addressesOf, splitAddresses } from './recipients.ts'
import { checkCustom, customOf, metadataOf, optionsOf, orNothing, variablesHeader } from './send-options.ts'
import { type MailgunSend, sendSchema } from './send-schema.ts'

/** `POST /v3/{domain}/messages`. @throws validation_error, message_too_large */
export const toSend: Translate = (body, facts) => {
  const { given, headers, variables, files } = readMembers(sendSchema, body)
  const errors: FieldError[] = []
  const to = addressesOf('to', given.to, errors)
  const cc = addressesOf('cc', given.cc ?? [], errors)
  const bcc = addressesOf('bcc', given.bcc ?? [], errors)
  const messageId = givenId(headers, errors)
  const custom = customOf(variables, headers)
  // One of them may have the values, one the Message-ID and one Reply-To.
  const maxFields = maxHeaders + 3
  if (headers.size > maxFields)
    errors.push({ field: 'h:', message: `must have at most ${maxFields} names, not ${headers.size}` })
  checkCustom(custom, errors)
  const shared = { ...optionsOf(given, facts, errors), ...templateOf(given, custom, errors) }
  if (!given.template && !given.text && !given.html)
    errors.push({ field: 'text', message: 'is missing: give text, html or template' })
  if (!given.template && given.subject === undefined) errors.push({ field: 'subject', message: 'is missing' })
  if (errors.length > 0) throw validationError(errors)
  const request: SendingRequest = {
    ...shared,
    from: given.from,
    to,
    cc: orNothing(cc),
    bcc: orNothing(bcc),
    subject: given.subject,
    text: given.text,
    html: given.html,
    ...fieldsOf(headers),
    metadata: metadataOf(given, custom),
    attachments: attachmentsOf(files),
  }
  const fileBytes = [...files.values()].flat().reduce((sum, { content }) => sum + content.length, 0)
  const json = given['recipient-variables']
  const byAddress = json === undefined ? null : readRecipientVariables(json)
  // With variables, each recipient gets an email of its own.
  const groups = byAddress ? to.map((one) => [one]) : [to]
  const budget = new ContentBudget('recipients')
  const emails = groups.map((group) => {
    budget.take(fileBytes)
    const fill = personalize(byAddress?.get(keyOf(group[0] ?? '')), budget)
    return { request: personalized({ ...request, to: group }, fill), messageId }
  })
  return { emails }
}

/** @param fill  Fills the values of a recipient into all texts of a value. */
function personalized(request: SendingRequest, fill: <T>(value: T) => T): SendingRequest {
  const { from, subject, text, html, headers, reply_to, metadata, data } = request
  return {
    ...request,
    ...fill({ from, subject, text, html, headers, metadata, ...(data && { data }) }),
    reply_to: reply_to && splitAddresses(fill([reply_to].flat())),
  }
}

const keyOf = (written: string): string => addressKey(parseAddresses(written)[0]?.address ?? written)

function templateOf(
  given: MailgunSend,
  custom: ReadonlyMap<string, unknown>,
  errors: FieldError[],
): Pick<SendingRequest, 'template_id' | 'data'> {
  const { template, 't:version': version, 't:variables': json } = given
  if (template === undefined) {
    for (const name of ['t:version', 't:variables'] as const)
      if (given[name] !== undefined) errors.push({ field: name, message: 'must be given with a template' })
    return {}
  }
  const own = json === undefined ? [] : readObject('t:variables', json)
  const template_id = version === undefined ? template : `${template}${versionMark}${version}`
  return { template_id, data: Object.fromEntries([...custom, ...own]) }
}

/** The value of `h:Message-Id`, which becomes the id of the email. */
function givenId(headers: SendMembers<unknown>['headers'], errors: FieldError[]): string | undefined {
  const [name, given] = [...headers].find(([field]) => field.toLowerCase() === 'message-id') ?? []
  if (name === undefined || given === undefined) return undefined
  const id = given.startsWith('<') ? given : `<${given}>`
  if (!isMessageId(id)) errors.push({ field: `h:${name}`, message: 'must have the form <id@host>' })
  return id
}

/** The fields of the message, without those that have a member of their own. */
function fieldsOf(given: SendMembers<unknown>['headers']): Pick<SendingRequest, 'headers' | 'reply_to'> {
  const replyTo = [...given].findLast(([name]) => name.toLowerCase() === 'reply-to')?.[1]
  const others = [...given].filter(([name]) => !ownMembers.has(name.toLowerCase()))
  return { headers: recordOf(others), reply_to: replyTo === undefined ? undefined : [replyTo] }
}

const ownMembers: ReadonlySet<string> = new Set(['reply-to', 'message-id', variablesHeader])

function attachmentsOf(files: SendMembers<unknown>['files']): SentAttachment[] | undefined {
  const all = [
    ...(files.get('attachment') ?? []).map((file) => toAttachment(file)),
    ...(files.get('inline') ?? []).map((file) => ({ ...toAttachment(file), content_id: file.filename })),
  ]
  return all.length === 0 ? undefined : all
}

function toAttachment({ filename, type, content }: FormFile): SentAttachment {
  return {
    name: filename === '' ? 'attachment' : filename,
    content: content.toString('base64'),
    ...(type !== undefined && type !== '' && { content_type: type }),
  }
}
