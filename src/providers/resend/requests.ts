import type { z } from 'zod'
import { quote } from '../../core/quote.ts'
import { isRecord } from '../../core/members.ts'
import { checkInput, parseInput } from '../../core/validate.ts'
import type { SendingRequest, SentAttachment } from '../../sending/types.ts'
import { recordOf, translateOne } from '../request-parts.ts'
import type { Translate, TranslationFacts } from '../translation.ts'
import { wrongMembers, type MemberError } from './member-errors.ts'
import {
  batchItemSchema,
  batchSchema,
  sendSchema,
  type ResendAttachment,
  type ResendEmail,
} from './send-schema.ts'
import { readScheduledAt } from './times.ts'

/** `POST /resend/emails`. @throws validation_error */
export const toSend: Translate = (body, facts) => ({
  emails: [{ request: toRequest(sendSchema, body, facts) }],
})

/** `POST /resend/emails/batch`. @throws validation_error if it is not an array, or one of too many emails. */
export const toBatch: Translate = (body, facts) => ({
  emails: parseInput(batchSchema, body).map((email) =>
    translateOne(() => toRequest(batchItemSchema, email, facts)),
  ),
})

function toRequest(schema: z.ZodType<ResendEmail>, body: unknown, { now }: TranslationFacts): SendingRequest {
  const email = readMembers(schema, body)
  const errors: MemberError[] = []
  const addMissing = (field: string, message: string): number =>
    errors.push({ field, message, isMissing: true })
  const { from, to, cc, bcc, reply_to, subject, html, text, headers, template } = email
  // A template may have a sender.
  if (from === undefined && !template) addMissing('from', 'is missing')
  if (subject === undefined && !template) addMissing('subject', 'is missing')
  if (template && (html !== undefined || text !== undefined))
    errors.push({ field: 'template', message: 'must not be given together with html or text' })
  if (!template && !html && !text)
    errors.push({ field: 'html', message: 'is missing: give html or text', isMissing: html === undefined })
  const at = email.scheduled_at === undefined ? undefined : readScheduledAt(email.scheduled_at, now)
  if (typeof at === 'object') errors.push({ field: 'scheduled_at', message: at.problem })
  const metadata = toMetadata(email.tags ?? [], errors)
  if (errors.length > 0) throw wrongMembers(errors)
  return {
    from,
    to,
    cc,
    bcc,
    reply_to,
    subject,
    html,
    text,
    headers,
    metadata,
    template_id: template?.id,
    data: template && (template.variables ?? {}),
    rendering: template && { missing: 'error', escape: 'none', helpers: 'basic' },
    attachments: email.attachments?.map(toAttachment),
    send_at: typeof at === 'number' ? at : undefined,
  }
}

/** Reads an object by a schema. A member that is null counts as absent, as SDKs of some languages write it. */
function readMembers<T>(schema: z.ZodType<T>, body: unknown): T {
  const given: unknown = isRecord(body)
    ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    : body
  const checked = checkInput(schema, given)
  if ('value' in checked) return checked.value
  // The only member that a schema requires.
  const lacksTo = isRecord(given) && given['to'] === undefined
  throw wrongMembers(
    checked.errors.map((error) => ({ ...error, isMissing: lacksTo && error.field === 'to' })),
  )
}

function toMetadata(
  tags: readonly { name: string; value: string }[],
  errors: MemberError[],
): Record<string, string> | undefined {
  const metadata = new Map<string, string>()
  for (const [i, { name, value }] of tags.entries()) {
    if (metadata.has(name))
      errors.push({ field: `tags[${i}].name`, message: `must be given once, not twice: ${quote(name)}` })
    metadata.set(name, value)
  }
  return recordOf(metadata)
}

function toAttachment(given: ResendAttachment): SentAttachment {
  const { content, path, filename, content_type, content_id } = given
  const shared = { content_type, content_id }
  if (path !== undefined) return { filename: filename ?? nameIn(path), path, ...shared }
  return { name: filename ?? 'attachment', content: toBase64(content ?? ''), ...shared }
}

function toBase64(content: NonNullable<ResendAttachment['content']>): string {
  if (typeof content === 'string') return content
  return Buffer.from(Array.isArray(content) ? content : content.data).toString('base64')
}

function nameIn(path: string): string {
  const name = URL.canParse(path) ? new URL(path).pathname.split('/').at(-1) : undefined
  return name === undefined || name === '' ? 'attachment' : name
}
