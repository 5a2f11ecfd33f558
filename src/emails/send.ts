import type { Complete } from '../core/complete.ts'
import type { DomainRecord } from '../domains/domain.ts'
import { parseDomainName } from '../domains/names.ts'
import {
  createFirst,
  LocalpostError,
  quote,
  shorten,
  validationError,
  type FieldError,
} from '../core/errors.ts'
import { foldSpace } from '../core/fold-space.ts'
import { snippetOf } from '../mime/html/snippet.ts'
import { blobOf, type Blob } from '../store/store.ts'
import type { TemplateContent } from '../templates/template.ts'
import { ignoredMember, moreWarnings } from '../core/validate.ts'
import {
  checkAttachments,
  encodedSize,
  maxMessageBytes,
  type AttachmentSources,
} from '../attachments/attachments.ts'
import { countBody, isBase64Shorter } from '../mime/compose/long-body.ts'
import { attachmentsBlob, contentBlob, type EmailRecord, type StoredContent } from './email.ts'
import type { EmailType, SendRequest } from './types.ts'
import { sentTo } from './events.ts'
import { asObject, eachUnknown, readMembers } from './members.ts'
import { headerFault, readAddresses, type Addresses } from './recipients.ts'
import { render, type Rendered } from './render.ts'
import { initialTags } from './tags.ts'

/** Dependencies of the check of a send request, but for its sender. */
export interface CheckDeps {
  sources: Pick<AttachmentSources, 'root'>
  strict: boolean
  escapeHtml: boolean
  findTemplate(id: string): Promise<TemplateContent | null>
}

/** Dependencies of the check of a send request. */
export interface SendDeps extends CheckDeps {
  /** The domain to send from. @throws domain_not_verified, domain_not_registered. */
  resolveSender(domainName: string): Promise<DomainRecord>
}

/** A send request that passed all checks but that of its sender's domain. */
export interface Checked {
  request: Partial<SendRequest>
  addresses: Addresses
  rendered: Rendered
  /** Warnings for the request log: at most 100, and then the number of further ones. */
  warnings: string[]
}

/** A send request that passed all checks. */
export interface Accepted extends Checked {
  domain: DomainRecord
}

/**
 * Checks a whole send request and renders it. It stores nothing, except a sender domain that is used for the first time.
 *
 * @param input  The parsed JSON body, or the argument of a library call.
 * @throws validation_error with every invalid member; invalid_attachment if only attachments are invalid;
 *   template_not_found, missing_variable, message_too_large, domain_not_verified, domain_not_registered.
 */
export async function checkSend(input: unknown, deps: SendDeps): Promise<Accepted> {
  return withDomain(await checkRequest(input, deps), deps)
}

/** Adds the domain that a checked request is sent from. @throws domain_not_verified, domain_not_registered. */
export async function withDomain<Given extends Pick<Checked, 'addresses' | 'warnings'>>(
  checked: Given,
  { resolveSender }: Pick<SendDeps, 'resolveSender'>,
): Promise<Given & Pick<Accepted, 'domain'>> {
  const { from_address } = checked.addresses
  const domain = await resolveSender(from_address.slice(from_address.lastIndexOf('@') + 1))
  if (domain.registered) return { ...checked, domain }
  const warning = `domain ${quote(domain.name)} is not registered; it counts as verified until it is created`
  return { ...checked, domain, warnings: [...checked.warnings, warning] }
}

/** The same as {@link checkSend}, but for the domain of the sender. It needs nothing but the request. */
export async function checkRequest(input: unknown, deps: CheckDeps): Promise<Checked> {
  const errors: FieldError[] = []
  const addressWarnings: string[] = []
  const given = asObject(input)
  const request = readMembers(given, errors)
  const { from, to, cc, bcc, reply_to } = request
  const addresses = readAddresses({ from, to, cc, bcc, reply_to }, errors, addressWarnings)
  const template = request.template_id === undefined ? null : await deps.findTemplate(request.template_id)
  const source = {
    subject: request.subject ?? template?.subject ?? undefined,
    html: request.html ?? template?.html ?? '',
    text: request.text ?? template?.text ?? '',
  }
  checkContent(request, source, template !== null, errors)
  const attachmentErrors: FieldError[] = []
  const attached = request.attachments
    ? await checkAttachments(request.attachments, deps.sources, attachmentErrors)
    : 0
  if (errors.length > 0) addDomainFault(addresses.from_address, errors)
  refuse(errors, attachmentErrors)
  if (request.template_id !== undefined && !template) {
    throw new LocalpostError(
      'template_not_found',
      `No template has the id ${quote(request.template_id)}; store it with PUT /dev/templates/{id}.`,
    )
  }
  const texts = { ...source, subject: source.subject ?? '' }
  const rendered = render(texts, request.variables ?? {}, deps.escapeHtml)
  assertSubject(rendered.subject)
  assertSize(attached + encodedBodySize([rendered.html, rendered.text], maxMessageBytes - attached))
  const warnings = warningsOf(given, request, addressWarnings, rendered.warnings)
  if (deps.strict && warnings.length > 0) {
    throw new LocalpostError('validation_error', `Refused because of \`strict\`: ${warnings.join('; ')}.`, {
      errors: warnings.map((message) => ({ field: 'body', message })),
    })
  }
  return { request, addresses, rendered, warnings }
}

/** What is stored of an accepted request. */
export interface Kept {
  /** The members of its record that follow from its content. */
  members: Complete<Pick<EmailRecord, 'subject' | 'template_id' | 'snippet' | 'attachment_count'>>
  content: Uint8Array
  /** Its attachment references; null without any. */
  attachments: Uint8Array | null
}

/**
 * Serializes the content of an accepted request. Needs no id, so that nothing is awaited between the id and the commit.
 *
 * @param headers  Further header fields.
 */
export function keep(
  { request, rendered }: Pick<Checked, 'request' | 'rendered'>,
  headers?: Readonly<Record<string, string>>,
): Kept {
  const content: StoredContent = {
    html: rendered.html,
    text: rendered.text,
    to: headerOf(request.to),
    cc: headerOf(request.cc),
    ...(headers ? { headers } : {}),
  }
  const { attachments = [] } = request
  return {
    members: {
      subject: rendered.subject,
      template_id: request.template_id ?? null,
      snippet: snippetOf(rendered.text, rendered.html),
      attachment_count: attachments.length,
    },
    content: Buffer.from(JSON.stringify(content)),
    attachments: attachments.length > 0 ? Buffer.from(JSON.stringify(attachments)) : null,
  }
}

/** The email of an accepted request, with its blobs. */
export function toEmail(
  { addresses, domain }: Pick<Accepted, 'addresses' | 'domain'>,
  kept: Kept,
  facts: { id: string; now: number; type: EmailType; via: 'capture' | 'relay' },
): { email: EmailRecord; blobs: Blob[] } {
  const { id, now, type, via } = facts
  const { from_address, rcpt_to, ...shown } = addresses
  const email: Complete<EmailRecord> = {
    ...shown,
    ...kept.members,
    id,
    // Set here, because otherwise the store would copy the whole record to add it.
    version: 1,
    type,
    source: 'api',
    domain_id: domain.id,
    created: now,
    envelope: { mail_from: from_address, rcpt_to },
    recipients: rcpt_to.map((recipient) => sentTo(recipient, now)),
    outbox: { due: now, attempts: 0, via },
    outbox_due: now,
    message: null,
    unread: true,
    tags: initialTags(rcpt_to).tags,
    undigested: undefined,
  }
  const blobs = [blobOf(contentBlob(id), kept.content)]
  if (kept.attachments) blobs.push(blobOf(attachmentsBlob(id), kept.attachments))
  return { email, blobs }
}

function headerOf(addresses: string | readonly string[] | undefined): string {
  return foldSpace(typeof addresses === 'string' ? addresses : (addresses ?? []).join(', '))
}

// A warning quotes the placeholder, and a placeholder may be as long as the body.
const maxWarningLength = 500

function warningsOf(
  given: object,
  request: Partial<SendRequest>,
  addressWarnings: readonly string[],
  renderWarnings: readonly string[],
): string[] {
  const first = createFirst(moreWarnings)
  const warn = (warning: string): string => shorten(warning, maxWarningLength)
  eachUnknown(given, request, (path) => first.add(() => warn(ignoredMember(path))))
  for (const warning of addressWarnings) first.add(() => warn(warning))
  for (const warning of renderWarnings) first.add(() => warn(warning))
  return first.all()
}

function checkContent(
  request: Partial<SendRequest>,
  source: { subject: string | undefined; html: string; text: string },
  hasTemplate: boolean,
  errors: FieldError[],
): void {
  const isNamed = (field: string): boolean =>
    errors.some((error) => error.field === field || error.field.startsWith(`${field}.`))
  // A template that does not exist has its own error, `template_not_found`.
  const mayComeFromTemplate = request.template_id !== undefined && !hasTemplate
  if (source.subject === undefined && !mayComeFromTemplate && !isNamed('subject')) {
    errors.push({
      field: 'subject',
      message: 'is missing; it must be a string, or the template must have one',
    })
  }
  const fault = request.subject === undefined ? null : headerFault(request.subject)
  if (fault !== null) errors.push({ field: 'subject', message: `${quote(request.subject)} ${fault}` })
  const hasBody = source.html !== '' || source.text !== '' || request.template_id !== undefined
  if (!hasBody && !['html', 'text', 'template_id'].some(isNamed)) {
    errors.push({
      field: 'html',
      message: 'is missing; give html, text or template_id, one of them not empty',
    })
  }
}

// Only needed if the request is refused anyway; otherwise `resolveSender` checks the domain.
function addDomainFault(from: string, errors: FieldError[]): void {
  if (from === '') return
  try {
    parseDomainName(from.slice(from.lastIndexOf('@') + 1), 'from')
  } catch (error) {
    if (!(error instanceof LocalpostError)) return
    for (const fault of error.errors ?? []) errors.push(fault)
  }
}

// Attachment errors have their own code if nothing else is invalid.
function refuse(errors: readonly FieldError[], attachmentErrors: readonly FieldError[]): void {
  if (errors.length > 0) throw validationError([...errors, ...attachmentErrors])
  const [first] = attachmentErrors
  if (first) {
    const message = `${first.field}: ${first.message}.`
    throw new LocalpostError('invalid_attachment', message, { errors: attachmentErrors })
  }
}

function assertSubject(subject: string): void {
  const fault = headerFault(subject)
  if (fault === null) return
  const message = `${quote(subject)}, with its variables filled in, ${fault}`
  throw validationError([{ field: 'subject', message }])
}

function assertSize(bytes: number): void {
  if (bytes <= maxMessageBytes) return
  throw new LocalpostError(
    'message_too_large',
    `The message would have ${bytes} bytes after encoding; the limit is ${maxMessageBytes} bytes.`,
  )
}

/**
 * The minimum number of bytes that bodies take in a message, with the encoding that nodemailer chooses: text that
 * is mostly ASCII is unencoded or quoted-printable, other text is base64. Soft line breaks are not counted.
 *
 * @param enough  If the size is certainly not above this, the result is the number of characters.
 */
export function encodedBodySize(bodies: readonly string[], enough: number): number {
  const characters = bodies.reduce((sum, body) => sum + body.length, 0)
  // A character takes at most three bytes, and a byte at most three when encoded, so small mail need not be counted.
  return characters * 9 <= enough ? characters : bodies.reduce((sum, body) => sum + encodedBytes(body), 0)
}

function encodedBytes(body: string): number {
  const { letters, others, lineEnds } = countBody(body)
  const bytes = Buffer.byteLength(body)
  // Line ends become CRLF.
  if (others > 0 && isBase64Shorter({ letters, others })) return encodedSize(bytes + lineEnds)
  const asIs = body.length - others
  return bytes + lineEnds + 2 * (bytes - asIs)
}
