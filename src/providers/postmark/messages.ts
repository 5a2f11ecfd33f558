import { z } from 'zod'
import { isErrorOf } from '../../core/errors.ts'
import type { EmailRecord } from '../../emails/email.ts'
import { isScheduled } from '../../sending/scheduled.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { Where } from '../../store/queries.ts'
import { notFound } from '../../store/repository.ts'
import type { ProviderParts } from '../provider.ts'
import { labelsOf, postmark } from './conventions.ts'
import { postmarkFace } from './face.ts'
import {
  emptyBody,
  messageDetailsSchema,
  messageSchema,
  statuses,
  statusOf,
  toMessage,
  toMessageDetails,
} from './message-answers.ts'
import { checkPage, pageMembers, selectPage } from './pages.ts'
import { queryName, queryTime } from './query-members.ts'

const { get } = defineRoutes({ tag: 'Messages', access: 'key', face: postmarkFace })

const text = z.string().min(1).max(1000).optional()

const queryMembers = {
  ...pageMembers,
  recipient: text.describe('A part of an address'),
  fromemail: text.describe('A part of the sender'),
  tag: text,
  status: queryName(statuses),
  fromdate: queryTime('start'),
  todate: queryTime('end'),
  subject: text.describe('A part of the subject'),
  messagestream: text,
}

/** Names of metadata follow `metadata_`. */
const messageQuery = z
  .object(queryMembers)
  .catchall(z.string())
  .superRefine((query, context) => {
    checkPage(query, context)
    const further = Object.keys(query).filter((name) => !Object.hasOwn(queryMembers, name))
    for (const name of further)
      if (!name.startsWith('metadata_'))
        context.addIssue({ code: 'custom', path: [name], message: 'is not a member of this query' })
  })
type MessageQuery = z.infer<typeof messageQuery>

/** `/postmark/messages/outbound`: the emails of this account, whatever interface they came by. */
export function messageRoutes({ sent, inbox }: Pick<ProviderParts, 'sent' | 'inbox'>): Route[] {
  async function find(id: string): Promise<EmailRecord> {
    const email = await sent.get(id, postmark)
    if (isScheduled(email)) throw notFound('message', id)
    return email
  }

  /** The names of the attachments of an email. */
  async function namesOf({ id, attachment_count }: EmailRecord, signal: AbortSignal): Promise<string[]> {
    if (attachment_count === 0) return []
    const { attachments } = await inbox.read(id, { signal })
    return attachments.map(({ filename }) => filename)
  }

  /** The message as it was sent; `""` where it cannot be in an answer. */
  async function rawOf({ id }: EmailRecord, signal: AbortSignal): Promise<string> {
    try {
      const { stream, size_bytes } = await inbox.raw(id, { signal })
      if (size_bytes <= bodyLimits.content)
        return Buffer.concat((await stream.toArray()) as Buffer[]).toString()
      stream.destroy()
    } catch (error) {
      if (!isErrorOf(error, 'message_pending')) throw error
    }
    return ''
  }

  return [
    get('/postmark/messages/outbound', {
      summary: 'List emails, newest first',
      query: messageQuery,
      success: { schema: z.strictObject({ TotalCount: z.int(), Messages: z.array(messageSchema) }) },
      errors: ['store_corrupt', 'store_failed'],
      async handler({ query, signal }) {
        const { items, total } = await selectPage(sent.matching(whereOf(query)), query, (email) =>
          isWanted(email, query) ? [email] : [],
        )
        const Messages: z.infer<typeof messageSchema>[] = []
        for (const email of items) Messages.push(toMessage(email, await namesOf(email, signal())))
        return { TotalCount: total, Messages }
      },
    }),
    get('/postmark/messages/outbound/{id}/details', {
      summary: 'Get an email, with its events',
      success: { schema: messageDetailsSchema },
      errors: ['store_corrupt', 'store_failed'],
      async handler({ params, signal }) {
        const email = await find(params.id)
        const content = await sent.content(email, signal())
        const [names, raw] = [await namesOf(email, signal()), await rawOf(email, signal())]
        return toMessageDetails(email, { ...content, names, raw })
      },
    }),
    get('/postmark/messages/outbound/{id}/dump', {
      summary: 'Get the message of an email as it was sent',
      success: { schema: z.strictObject({ Body: z.string().describe(emptyBody) }) },
      errors: ['store_corrupt', 'store_failed'],
      handler: async ({ params, signal }) => ({ Body: await rawOf(await find(params.id), signal()) }),
    }),
  ]
}

/** The conditions that the store decides. */
function whereOf({ fromdate, todate, fromemail, subject, recipient }: MessageQuery): Where {
  const parts: (Where | undefined)[] = [
    fromdate === undefined ? undefined : { number: 'created', above: fromdate - 1 },
    todate === undefined ? undefined : { number: 'created', below: todate + 1 },
    fromemail === undefined ? undefined : { member: 'from', contains: fromemail },
    subject === undefined ? undefined : { member: 'subject', contains: subject },
    recipient === undefined
      ? undefined
      : { any: ['to', 'cc', 'bcc'].map((member) => ({ member, contains: recipient })) },
  ]
  return { all: parts.flatMap((part) => part ?? []) }
}

function isWanted(email: EmailRecord, query: MessageQuery): boolean {
  const { tag, messagestream, status } = query
  const { Tag, MessageStream, Metadata } = labelsOf(email)
  if (tag !== undefined && tag !== Tag) return false
  if (messagestream !== undefined && messagestream !== MessageStream) return false
  if (status !== undefined && status !== statusOf(email)) return false
  const metadata = new Map(Object.entries(Metadata).map(([name, value]) => [name.toLowerCase(), value]))
  return Object.entries(query).every(
    ([name, value]) =>
      !name.startsWith('metadata_') || metadata.get(name.slice('metadata_'.length)) === value,
  )
}
