import type { DomainRecord } from '../domains/domain.ts'
import { parseDomainName } from '../domains/names.ts'
import { LocalpostError, validationError, type FieldError } from '../core/errors.ts'
import { createFirst, quote, shorten } from '../core/quote.ts'
import type { TemplateContent } from '../templates/template.ts'
import { ignoredMember } from '../core/validate.ts'
import type { AttachmentSources } from '../attachments/attachments.ts'
import { maxMessageBytes } from '../mime/message-size.ts'
import type { ReadReference } from '../attachments/reference.ts'
import type { Rendered } from '../emails/render.ts'
import { readAttachments } from './attachments.ts'
import { assertSize, encodedBodySize } from './body-size.ts'
import { checkHeaders, checkMetadata } from './fields.ts'
import { asObject, eachUnknown, readMembers, type RequestKind } from './members.ts'
import { checkRaw, type RawMessage } from './raw.ts'
import { renderRequest } from './rendering.ts'
import { headerFault, maxRecipients, readAddresses, type Addresses } from './recipients.ts'
import type { SendingRequest } from './types.ts'

/** Dependencies of the check of a send request, but for its sender. */
export interface CheckDeps {
  sources: Pick<AttachmentSources, 'root'>
  strict: boolean
  escapeHtml: boolean
  /** Default: `interface`. */
  kind?: RequestKind
  /** How many distinct recipients an email may have. Default: 50. */
  maxRecipients?: number | undefined
  /** How many steps rendering may take. Default: as many as a template may take at all. */
  maxSteps?: number | undefined
  findTemplate(id: string): Promise<TemplateContent | null>
}

/** Dependencies of the check of a send request. */
export interface SendDeps extends CheckDeps {
  /** The domain to send from. @throws domain_not_verified, domain_not_registered. */
  resolveSender(domainName: string): Promise<DomainRecord>
}

/** A send request that passed all checks but that of its sender's domain. */
export interface Checked {
  request: Partial<SendingRequest>
  addresses: Addresses
  /** Its attachments, as they are stored. */
  references: readonly ReadReference[]
  /** The message, if the request has the whole of it. */
  raw?: RawMessage
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
 *   template_not_found, missing_variable, invalid_template, message_too_large, domain_not_verified, domain_not_registered.
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
  const given = asObject(input)
  const { raw, ...request } = readMembers(given, deps.kind ?? 'interface', errors)
  if (raw !== undefined) return checkRawRequest(raw, request, errors, deps)
  const checked = await checkComposed(given, request, errors, deps)
  if (deps.strict) assertNoWarnings(checked.warnings)
  return checked
}

/** The check of a request whose message is composed. @param errors  Those of its members. */
async function checkComposed(
  given: object,
  request: Partial<SendingRequest>,
  errors: FieldError[],
  deps: CheckDeps,
): Promise<Checked> {
  const isWhole = deps.kind === 'whole'
  const addressWarnings: string[] = []
  const addresses = readAddresses(request, errors, addressWarnings, deps.maxRecipients)
  const template = request.template_id === undefined ? null : await deps.findTemplate(request.template_id)
  const source = {
    subject: request.subject ?? template?.subject ?? undefined,
    html: request.html ?? template?.html ?? '',
    text: request.text ?? template?.text ?? '',
  }
  checkContent(request, source, template !== null, errors)
  if (isWhole) checkWholeMembers(request, errors)
  const attachmentErrors: FieldError[] = []
  const { references, size: attached } = request.attachments
    ? await readAttachments(request.attachments, deps.sources, attachmentErrors)
    : noAttachments
  if (errors.length > 0) addDomainFault(addresses.from_address, errors)
  refuse(errors, attachmentErrors)
  if (request.template_id !== undefined && !template) throw missingTemplate(request.template_id)
  const texts = { ...source, subject: source.subject ?? '' }
  const rendered = await renderRequest(texts, request, template, deps)
  assertSubject(rendered.subject)
  assertSize(attached + encodedBodySize([rendered.html, rendered.text], maxMessageBytes - attached))
  const warnings = warningsOf(rendered.warnings, isWhole ? null : { given, request, addressWarnings })
  return { request, addresses, references, rendered, warnings }
}

/** The check of a request with the whole message. @param errors  Those of its members. */
async function checkRawRequest(
  raw: NonNullable<SendingRequest['raw']>,
  request: Partial<SendingRequest>,
  errors: FieldError[],
  deps: Pick<CheckDeps, 'maxRecipients'>,
): Promise<Checked> {
  if (request.metadata) checkMetadata(request.metadata, errors)
  const checked = await checkRaw({ ...request, raw }, deps.maxRecipients ?? maxRecipients)
  if ('errors' in checked) throw validationError([...errors, ...checked.errors])
  refuse(errors, [])
  return { ...checked, request, references: [], warnings: [] }
}

const noAttachments = { references: [], size: 0 }

/** Checks the members that the interface does not have. */
function checkWholeMembers(request: Partial<SendingRequest>, errors: FieldError[]): void {
  const hasRecipient = [request.to, request.cc, request.bcc].some((one) => one !== undefined)
  for (const field of ['from', 'to'] as const) {
    const isMissing = request[field] === undefined && !(field === 'to' && hasRecipient)
    if (isMissing && !isNamed(errors, field))
      errors.push({ field, message: 'is missing; it must be an address' })
  }
  if (request.envelope !== undefined)
    errors.push({ field: 'envelope', message: 'must only be given with raw; leave it out' })
  if (request.headers) checkHeaders(request.headers, errors)
  if (request.metadata) checkMetadata(request.metadata, errors)
  if (request.data !== undefined && request.variables !== undefined)
    errors.push({ field: 'data', message: 'must not be given beside variables; give one of the two' })
}

const isNamed = (errors: readonly FieldError[], field: string): boolean =>
  errors.some((error) => error.field === field || error.field.startsWith(`${field}.`))

// A warning quotes the placeholder, and a placeholder may be as long as the body.
const maxWarningLength = 500

/** @param lenient  Null for a whole request, which refuses unknown members, and takes every form of addresses. */
function warningsOf(
  renderWarnings: readonly string[],
  lenient: { given: object; request: Partial<SendingRequest>; addressWarnings: readonly string[] } | null,
): string[] {
  const first = createFirst()
  const warn = (warning: string): string => shorten(warning, maxWarningLength)
  if (lenient)
    eachUnknown(lenient.given, lenient.request, (path) => first.add(() => warn(ignoredMember(path))))
  for (const warning of [...(lenient?.addressWarnings ?? []), ...renderWarnings])
    first.add(() => warn(warning))
  return first.all()
}

function checkContent(
  request: Partial<SendingRequest>,
  source: { subject: string | undefined; html: string; text: string },
  hasTemplate: boolean,
  errors: FieldError[],
): void {
  const add = (field: string, message: string): number => errors.push({ field, message })
  // A template that does not exist has its own error, `template_not_found`.
  const mayComeFromTemplate = request.template_id !== undefined && !hasTemplate
  if (source.subject === undefined && !mayComeFromTemplate && !isNamed(errors, 'subject'))
    add('subject', 'is missing; it must be a string, or the template must have one')
  const fault = request.subject === undefined ? null : headerFault(request.subject)
  if (fault !== null) add('subject', `${quote(request.subject)} ${fault}`)
  const hasBody = source.html !== '' || source.text !== '' || request.template_id !== undefined
  if (!hasBody && !['html', 'text', 'template_id'].some((field) => isNamed(errors, field)))
    add('html', 'is missing; give html, text or template_id, one of them not empty')
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

function missingTemplate(id: string): LocalpostError {
  const message = `No template has the id ${quote(id)}; store it with PUT /dev/templates/{id}.`
  return new LocalpostError('template_not_found', message)
}

/** @throws validation_error */
function assertNoWarnings(warnings: readonly string[]): void {
  if (warnings.length === 0) return
  const errors = warnings.map((message) => ({ field: 'body', message }))
  const message = `Refused because of \`strict\`: ${warnings.join('; ')}.`
  throw new LocalpostError('validation_error', message, { errors })
}

function assertSubject(subject: string): void {
  const fault = headerFault(subject)
  if (fault === null) return
  const message = `${quote(subject)}, with its variables filled in, ${fault}`
  throw validationError([{ field: 'subject', message }])
}
