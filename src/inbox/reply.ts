import { LocalpostError, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { keepAlive } from '../core/keep-alive.ts'
import type { JobThread } from '../core/job-thread.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { parseInput } from '../core/validate.ts'
import type { EmailRecord } from '../emails/email.ts'
import { addressKey } from '../mime/headers/addresses.ts'
import { isLongHeader } from '../mime/headers/headers.ts'
import { maxHeaderBytes } from '../mime/headers/fields.ts'
import type { SendingRequest } from '../sending/types.ts'
import { answerSubject, type Answered, type answerJobs } from './answered.ts'
import type { Details } from './detail.ts'
import type { Inbox } from './methods.ts'
import type { ReadOptions } from './read-options.ts'
import type { Quotation } from './quoted.ts'
import { replyRequestSchema } from './reply-schema.ts'
import type { ReplyRequest } from './reply-types.ts'

export interface ReplyDeps {
  /** @throws not_found. */
  find(id: string): Promise<EmailRecord>
  /** Opens a message. @throws message_pending. */
  open: Inbox['raw']
  details: Pick<Details, 'read' | 'inTurn'>
  /** Where long headers are read, and mails with long HTML are quoted. */
  thread: JobThread<typeof answerJobs>
  /** Checks a request as sends are, and writes its message. */
  compose(request: SendingRequest): Promise<Uint8Array>
  /** Stores a message as a submission of now. */
  receive(message: Uint8Array): Promise<{ id: string }>
}

/**
 * Answers a mail as its recipient: writes the message, and stores it as if it had been submitted now.
 *
 * @param request  As the caller gave it.
 * @param options  An answer that is being stored when the signal is aborted is stored.
 * @throws not_found, validation_error, invalid_attachment, message_too_large, message_pending, state_conflict for a mail
 *   without an address to answer to or, without `force`, that was sent automatically.
 */
export async function replyToMail(
  deps: ReplyDeps,
  id: string,
  request: unknown,
  options: ReadOptions = {},
): Promise<{ id: string }> {
  assertKnownOptions(options, ['signal'], 'inbox.reply()')
  const { signal } = options
  const given = parseInput(replyRequestSchema, request)
  const { text = '', html = '', attachments, force = false } = given
  if (text === '' && html === '')
    throw validationError([
      { field: 'text', message: 'is missing; give text or html, one of them not empty' },
    ])
  const email = await deps.find(id)
  const from = authorOf(email, given.from)
  const { to, fields, auto_submitted } = await readHeaderOf(email, deps, signal)
  if (!force) assertNoLoop(email, auto_submitted)
  if (to.length === 0) {
    const message = `Mail ${quote(id)} cannot be answered: neither Reply-To nor From has an address that can be used.`
    throw new LocalpostError('state_conflict', message)
  }
  const headers = withFields(given, fields)
  const below = given.quote ? await quotedMail(email, deps, signal) : null
  return keepAlive(async () => {
    const message = await deps.compose({
      from,
      to,
      subject: answerSubject(email.subject),
      ...(text !== '' && { text: below ? `${text}\n\n${below.text}\n` : text }),
      ...(html !== '' && { html: below ? `${html}\n${below.html}\n` : html }),
      headers,
      ...(attachments && { attachments }),
    })
    signal?.throwIfAborted()
    return deps.receive(message)
  })
}

/** The recipient who answers. */
function authorOf({ envelope }: EmailRecord, wanted: string | undefined): string {
  const { rcpt_to } = envelope
  const found =
    wanted === undefined ? rcpt_to[0] : rcpt_to.find((one) => addressKey(one) === addressKey(wanted))
  if (found !== undefined) return found
  const others = rcpt_to.length > maxNamed ? ` and ${rcpt_to.length - maxNamed} more` : ''
  const named = rcpt_to.slice(0, maxNamed).map(quote).join(', ')
  const message = `must be a recipient of the mail, not ${quote(wanted)}: ${named}${others}`
  throw validationError([{ field: 'from', message }])
}

const maxNamed = 10

async function readHeaderOf(
  { id }: EmailRecord,
  { open, thread }: Pick<ReplyDeps, 'open' | 'thread'>,
  signal: AbortSignal | undefined,
): Promise<Answered> {
  const { stream } = await open(id, { range: { start: 0, end: maxHeaderBytes }, signal })
  const bytes = Buffer.concat(await stream.toArray(signal && { signal }))
  return thread.run('answered', [bytes], { size: isLongHeader(bytes) ? bytes.length : 0, signal })
}

/** @throws state_conflict. @see RFC 3834 section 2 */
function assertNoLoop({ id, envelope }: EmailRecord, auto_submitted: string | null): void {
  if (auto_submitted === null && envelope.mail_from !== '') return
  const why =
    auto_submitted === null
      ? 'its envelope sender is empty, as that of a bounce'
      : `it has the field Auto-Submitted: ${quote(auto_submitted)}`
  const message = `Mail ${quote(id)} was sent by a program: ${why}. An answer could begin a loop. Give force: true to answer it.`
  throw new LocalpostError('state_conflict', message)
}

/** The header fields of the answer: those of the request, and those that make it an answer. */
function withFields({ headers = {} }: ReplyRequest, fields: Answered['fields']): Record<string, string> {
  const refused = Object.keys(headers).filter((name) => /^(?:in-reply-to|references)$/i.test(name))
  if (refused.length === 0) return { ...headers, ...fields }
  const message = 'is written by Localpost from the mail; leave it out'
  throw validationError(refused.map((name) => ({ field: `headers.${name}`, message })))
}

async function quotedMail(
  email: EmailRecord,
  { details, thread }: Pick<ReplyDeps, 'details' | 'thread'>,
  signal: AbortSignal | undefined,
): Promise<Quotation> {
  const write = async (): Promise<Quotation> => {
    const { from, received, text, html } = await details.read(email, signal)
    return thread.run('quoted', [{ from, received, text, html }], { size: html.length, signal })
  }
  return details.inTurn([email], write, signal)
}
