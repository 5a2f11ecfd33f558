import { z } from 'zod'
import { validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { sendErrors } from '../../sending/results.ts'
import { isScheduled, readTime, type ScheduledRecord } from '../../sending/scheduled.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { idempotencyHeader } from '../../server/idempotency-header.ts'
import { bodyLimits, type Route, type RouteContext } from '../../server/route.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import { sendAll, sendOne, type ProviderSend } from '../send.ts'
import { toEmailDetail, toListedEmail } from './answers.ts'
import { resend } from './conventions.ts'
import { changedEmailSchema, emailSchema, listedEmailSchema } from './email-schema.ts'
import { resendMessageOf, resendFace } from './face.ts'
import { listSchema, pageQuery, toList } from './lists.ts'
import { assertSameId } from './same-id.ts'
import { batchDocumentSchema, rescheduleSchema, sendSchema } from './send-schema.ts'
import { ResendTemplates } from './stored-templates.ts'
import { createTemplateCompletion } from './template-use.ts'
import { maxAheadDays, readScheduledAt } from './times.ts'

const { get, patch, post } = defineRoutes({ tag: 'Emails', access: 'key', face: resendFace })

const keyHeader = idempotencyHeader('the same request with the same key is sent once in 24 h')
const ofSending = [...sendErrors, 'idempotency_conflict', 'state_conflict'] as const
const idSchema = z.strictObject({ id: z.string() })

const defaultPage = 20

/** `/resend/emails`. */
export function emailRoutes(parts: ProviderParts): Route[] {
  const { sending, sent, clock } = parts

  /** The email of this id, while it waits. */
  async function findScheduled(id: string): Promise<ScheduledRecord> {
    const email = await sent.get(id, resend)
    if (isScheduled(email)) return email
    throw validationError([{ field: 'id', message: `${quote(id)} is an email that was sent already` }])
  }

  async function reschedule({ id }: ScheduledRecord, at: number): Promise<void> {
    await sending.scheduled.reschedule(id, readTime(at, clock.now(), maxAheadDays))
  }

  return [
    post('/resend/emails', {
      needs: 'send',
      summary: 'Send an email',
      headers: keyHeader,
      body: { schema: sendSchema, readBy: 'resource', maxBytes: bodyLimits.large },
      success: { schema: idSchema },
      errors: ofSending,
      async handler(context) {
        const { id } = await sendOne(sendOf('resend send', context, parts), context, parts)
        return { id }
      },
    }),
    post('/resend/emails/batch', {
      needs: 'send',
      summary: 'Send up to 100 emails, in one commit',
      headers: {
        ...keyHeader,
        'x-batch-validation': {
          description:
            '`strict`: one wrong email and none is sent; `permissive`: the others are sent. Default: `strict`',
        },
      },
      body: { schema: batchDocumentSchema, readBy: 'resource', maxBytes: bodyLimits.large },
      success: {
        schema: z.strictObject({
          data: z.array(idSchema),
          errors: z
            .array(z.strictObject({ index: z.int(), message: z.string() }))
            .optional()
            .describe('Only with `permissive`'),
        }),
      },
      errors: ofSending,
      async handler(context) {
        const partial = isPermissive(context.headers)
        const results = await sendAll({ ...sendOf('resend batch', context, parts), partial }, context, parts)
        const data = results.flatMap((result) => ('error' in result ? [] : { id: result.id }))
        if (!partial) return { data }
        const errors = results.flatMap((result, index) =>
          'error' in result ? { index, message: resendMessageOf(result.error) } : [],
        )
        return { data, errors }
      },
    }),
    get('/resend/emails', {
      summary: 'List emails, newest first',
      query: pageQuery(defaultPage),
      success: { schema: listSchema(listedEmailSchema) },
      async handler({ query }) {
        const { emails, more } = await sent.page({ limit: defaultPage, ...query, provider: resend })
        const listed = emails.map((email) => toListedEmail(email, sent.idOf(email, resend)))
        return toList(listed, more)
      },
    }),
    get('/resend/emails/{id}', {
      summary: 'Get an email',
      success: { schema: emailSchema },
      errors: ['store_corrupt', 'store_failed'],
      async handler({ params, signal }) {
        const email = await sent.get(params.id, resend)
        return toEmailDetail(email, sent.idOf(email, resend), await sent.content(email, signal()))
      },
    }),
    patch('/resend/emails/{id}', {
      summary: 'Change when an email is sent',
      body: { schema: rescheduleSchema, maxBytes: bodyLimits.small },
      success: { schema: changedEmailSchema },
      async handler({ params: { id }, body: { scheduled_at, id: same } }) {
        assertSameId('id', same, id)
        const at = readScheduledAt(scheduled_at, clock.now())
        if (typeof at === 'object') throw validationError([{ field: 'scheduled_at', message: at.problem }])
        await withNames(reschedule(await findScheduled(id), at), names)
        return { object: 'email', id }
      },
    }),
    post('/resend/emails/{id}/cancel', {
      summary: 'Never send an email that waits',
      success: { schema: changedEmailSchema },
      errors: ['validation_error'],
      async handler({ params: { id } }) {
        await sending.scheduled.cancel((await findScheduled(id)).id)
        return { object: 'email', id }
      },
    }),
  ]
}

/** Our names of members that have others in Resend's API. */
const names = {
  'attachments[].name': 'attachments[].filename',
  metadata: 'tags',
  send_at: 'scheduled_at',
  template_id: 'template.id',
  data: 'template.variables',
}

function sendOf(
  kind: ProviderSend['kind'],
  { headers }: Pick<RouteContext, 'headers'>,
  parts: Pick<ProviderParts, 'templates' | 'clock' | 'newUuid'>,
): ProviderSend {
  return {
    provider: resend,
    kind,
    idempotencyKey: headers.get('idempotency-key') ?? undefined,
    names,
    maxAheadDays,
    // A send only reads templates, so it needs no part in the sequence of their changes.
    prepare: createTemplateCompletion(new ResendTemplates(parts)),
  }
}

function isPermissive(headers: RouteContext['headers']): boolean {
  const given = headers.get('x-batch-validation') ?? 'strict'
  if (given === 'strict' || given === 'permissive') return given === 'permissive'
  const message = `must be strict or permissive, not ${quote(given)}`
  throw validationError([{ field: 'x-batch-validation', message }])
}
