import { type FieldError, validationError } from '../../core/errors.ts'
import type { FormFile } from '../../core/form-entry.ts'
import { isMessageId } from '../../emails/message-id.ts'
import { addressKey, parseAddresses } from '../../mime/headers/addresses.ts'
import { readHeader } from '../../mime/headers/headers.ts'
import { maxHeaders, maxMetadata } from '../../sending/schema.ts'
import type { SendingRequest } from '../../sending/types.ts'
import type { Translate, TranslationFacts } from '../translation.ts'
import { readMembers, type SendMembers } from './members.ts'
import {
  personalize,
  readObject,
  readRecipientVariables,
  Room,
  splitAddresses,
  toText,
} from './recipients.ts'
import { maxRecipients, mimeSchema, sendSchema, type MailgunMime, type MailgunSend } from './send-schema.ts'
import { readDeliveryTime } from './times.ts'
import { testModeTag, versionMark } from './words.ts'

/** `POST /v3/{domain}/messages`. @throws validation_error, message_too_large */
export const toSend: Translate = (body, facts) => {
  const { given, headers, variables, files } = readMembers(sendSchema, body)
  const errors: FieldError[] = []
  const people = {
    to: addressesOf('to', given.to, errors),
    cc: addressesOf('cc', given.cc ?? [], errors),
    bcc: addressesOf('bcc', given.bcc ?? [], errors),
  }
  const messageId = givenId(headers, errors)
  const custom = customOf(variables, headers)
  assertNames(headers, custom, errors)
  const shared = { ...optionsOf(given, facts, errors), ...templateOf(given, custom, errors) }
  if (!given.template && !given.text && !given.html)
    errors.push({ field: 'text', message: 'is missing: give text, html or template' })
  if (!given.template && given.subject === undefined) errors.push({ field: 'subject', message: 'is missing' })
  if (errors.length > 0) throw validationError(errors)
  const attachments = [
    ...(files.get('attachment') ?? []).map((file) => toAttachment(file)),
    ...(files.get('inline') ?? []).map((file) => ({ ...toAttachment(file), content_id: file.filename })),
  ]
  const size = [...files.values()].flat().reduce((sum, { content }) => sum + content.length, 0)
  const room = new Room()
  const batch = given['recipient-variables']
  const byAddress = batch === undefined ? undefined : readRecipientVariables(batch)
  const fields = fieldsOf(headers)
  const metadata = metadataOf(given, custom)
  const groups = byAddress ? people.to.map((one) => [one]) : [people.to]
  return groups.map((to) => {
    room.take(size)
    const { fill, fillMaybe, fillAll } = personalize(byAddress?.get(keyOf(to[0] ?? '')), room)
    const replyTo = fillMaybe(fields.replyTo)
    const request: SendingRequest = {
      ...shared,
      from: fill(given.from),
      to,
      cc: orNothing(people.cc),
      bcc: orNothing(people.bcc),
      subject: fillMaybe(given.subject),
      text: fillMaybe(given.text),
      html: fillMaybe(given.html),
      headers: fillAll(fields.headers),
      reply_to: replyTo === undefined ? undefined : splitAddresses([replyTo]),
      metadata: fillAll(metadata),
      ...(shared.data && { data: fillAll(shared.data) }),
      attachments: attachments.length === 0 ? undefined : attachments,
    }
    return { request, messageId }
  })
}

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
  assertNames(new Map(), custom, errors)
  const options = optionsOf(given, facts, errors)
  if (options.tracking?.opens || options.tracking?.clicks)
    errors.push({ field: 'o:tracking', message: 'is not supported: a whole message is never tracked' })
  if (errors.length > 0) throw validationError(errors)
  const own = header.decoded('Message-ID').trim()
  const tags = header.fields.flatMap(([name, value]) => (/^x-mailgun-tag$/i.test(name) ? value.trim() : []))
  const request: SendingRequest = {
    tags: orNothing([...(options.tags ?? []), ...tags]),
    send_at: options.send_at,
    metadata: metadataOf(given, custom),
    raw: bytes.toString('base64'),
    envelope: { rcpt_to: to.map((one) => parseAddresses(one)[0]?.address || one) },
  }
  return [{ request, messageId: isMessageId(own) ? own : undefined }]
}

function addressesOf(field: string, texts: readonly string[], errors: FieldError[]): string[] {
  const all = splitAddresses(texts)
  if (all.length > maxRecipients)
    errors.push({ field, message: `must have at most ${maxRecipients} addresses, not ${all.length}` })
  return all
}

const keyOf = (written: string): string => addressKey(parseAddresses(written)[0]?.address ?? written)
const orNothing = (texts: string[]): string[] | undefined => (texts.length > 0 ? texts : undefined)

type Options = Pick<SendingRequest, 'tags' | 'send_at' | 'tracking'>

function optionsOf(
  given: MailgunSend | MailgunMime,
  { now, relays }: TranslationFacts,
  errors: FieldError[],
): Options {
  const at = given['o:deliverytime']
  const send_at = at === undefined ? undefined : readDeliveryTime(at, now)
  if (typeof send_at === 'object') errors.push({ field: 'o:deliverytime', message: send_at.problem })
  if (isYes(given['o:testmode']) && relays)
    errors.push({
      field: 'o:testmode',
      message: 'is not possible: all mail of this instance goes to a relay',
    })
  const both = isYes(given['o:tracking'])
  const opens = isYes(given['o:tracking-opens']) ?? both
  const clicks = isYes(given['o:tracking-clicks']) ?? both
  return {
    tags: given['o:tag'],
    send_at: typeof send_at === 'number' ? send_at : undefined,
    ...(opens === undefined && clicks === undefined
      ? {}
      : { tracking: { ...(opens !== undefined && { opens }), ...(clicks !== undefined && { clicks }) } }),
  }
}

/** `htmlonly` is a yes: links of texts are never tracked here. */
function isYes(given: string | undefined): boolean | undefined {
  return given === undefined ? undefined : given !== 'no' && given !== 'false'
}

/** The header field with values that stay with the email, in JSON. */
const variablesHeader = 'x-mailgun-variables'

/** The values that stay with the email: those of the form, and those that a header field has in JSON. */
function customOf(
  variables: ReadonlyMap<string, string>,
  headers: Iterable<readonly [name: string, value: string]>,
): Map<string, unknown> {
  const custom = new Map<string, unknown>(variables)
  for (const [name, json] of headers)
    if (name.toLowerCase() === variablesHeader)
      for (const [key, value] of readObject(`h:${name}`, json)) custom.set(key, value)
  return custom
}

/** Before each recipient gets a copy of them. */
function assertNames(
  headers: SendMembers<unknown>['headers'],
  custom: ReadonlyMap<string, unknown>,
  errors: FieldError[],
): void {
  // One of them may have the values, one the Message-ID and one Reply-To.
  const counts = [
    ['h:', headers.size, maxHeaders + 3],
    ['v:', custom.size, maxMetadata],
  ] as const
  for (const [field, count, most] of counts)
    if (count > most) errors.push({ field, message: `must have at most ${most} names, not ${count}` })
  if (custom.has(testModeTag))
    errors.push({
      field: `v:${testModeTag}`,
      message: `has a name that Localpost needs itself. Give ${testModeTag}, or another name`,
    })
}

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

/** The fields that are none of a message, or have a member of their own. */
function fieldsOf(headers: SendMembers<unknown>['headers']): {
  headers: Record<string, string> | undefined
  replyTo: string | undefined
} {
  const fields: [string, string][] = []
  let replyTo: string | undefined
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    if (lower === 'reply-to') replyTo = value
    else if (lower !== 'message-id' && lower !== variablesHeader) fields.push([name, value])
  }
  return { headers: fields.length === 0 ? undefined : Object.fromEntries(fields), replyTo }
}

function metadataOf(
  given: MailgunSend | MailgunMime,
  custom: ReadonlyMap<string, unknown>,
): Record<string, string> | undefined {
  const metadata = [...custom].map(([name, value]): [string, string] => [name, toText(value)])
  if (isYes(given['o:testmode'])) metadata.push([testModeTag, 'yes'])
  return metadata.length === 0 ? undefined : Object.fromEntries(metadata)
}

function toAttachment({ filename, type, content }: FormFile): {
  name: string
  content: string
  content_type?: string
} {
  return {
    name: filename === '' ? 'attachment' : filename,
    content: content.toString('base64'),
    ...(type !== undefined && type !== '' && { content_type: type }),
  }
}
