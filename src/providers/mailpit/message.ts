import { isErrorOf, LocalpostError, validationError, type ErrorCode } from '../../core/errors.ts'
import { longBytes } from '../../core/job-thread.ts'
import { quote } from '../../core/quote.ts'
import { readBeginning } from '../../core/read-beginning.ts'
import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import { normalizeAddress, parseAddresses } from '../../mime/headers/addresses.ts'
import { readHeader, type HeaderBlock } from '../../mime/headers/headers.ts'
import { type Answer, bytesAnswer } from '../../server/answer.ts'
import { streamBody } from '../../server/body-streams.ts'
import { attachmentHeaders, disposition, bytesHeaders } from '../../server/dev/guarded-bytes.ts'
import { readErrors } from '../../server/dev/mail.ts'
import type { Route } from '../../server/route.ts'
import { toHeaders, toMessage } from './answers.ts'
import { isFromProgram } from './browser.ts'
import { defineMailpitRoutes, ok, okSuccess } from './define-routes.ts'
import { idOf } from './latest.ts'
import { partIds, readAttachments } from './parts.ts'
import { matchQuery, rawQuery, releaseBody } from './requests.ts'
import { headersSchema, messageSchema } from './schema.ts'

const { get, post } = defineMailpitRoutes('Message')

const errors: readonly ErrorCode[] = [...readErrors, 'invalid_query']
const writtenErrors: readonly ErrorCode[] = [...errors, 'message_pending']

/** `/api/v1/message/{id}` and what is below it, but for the checks. */
export function messageRoutes(inbox: Inbox & InboxPages): Route[] {
  const openPart = async (given: { id: string; part: string }, signal: AbortSignal): Promise<OpenedPart> => {
    const id = await idOf(inbox, given.id, {}, signal)
    const ids = partIds(await inbox.structure(id, { signal }))
    const [index] = [...ids].find(([, part]) => part === given.part) ?? []
    if (index !== undefined) return inbox.part(id, index, { signal })
    const message = `Message ${quote(id)} has no part ${quote(given.part)}. It has ${[...ids.values()].join(', ')}.`
    throw new LocalpostError('not_found', message)
  }

  return [
    get('/api/v1/message/{id}', {
      summary: 'A message, or with `latest` the newest one. A program with full access marks it as read',
      query: matchQuery,
      success: { schema: messageSchema },
      errors,
      async handler({ params, query, headers, may, signal }) {
        const id = await idOf(inbox, params.id, query, signal())
        const mail = await inbox.read(id, { signal: signal() })
        const header = await headerOf(inbox, id, signal())
        const attachments =
          header && mail.attachments.length > 0
            ? await readAttachments(inbox, mail, await inbox.structure(id, { signal: signal() }), signal())
            : []
        if (mail.unread && may('full') && isFromProgram(headers)) await inbox.update(id, { unread: false })
        return toMessage(mail, header, attachments)
      },
    }),
    get('/api/v1/message/{id}/headers', {
      summary: 'The header fields of a message, by name',
      query: matchQuery,
      success: { schema: headersSchema },
      errors: writtenErrors,
      async handler({ params, query, signal }) {
        const id = await idOf(inbox, params.id, query, signal())
        return toHeaders(readHeader(await beginningOf(inbox, id, signal())))
      },
    }),
    get('/api/v1/message/{id}/raw', {
      summary: 'The source of a message',
      query: rawQuery,
      success: { type: 'text/plain; charset=utf-8', description: 'The bytes of the message' },
      errors: writtenErrors,
      async handler({ params, query, signal }) {
        const id = await idOf(inbox, params.id, query, signal())
        const { stream, size_bytes } = await inbox.raw(id, { signal: signal() })
        return bytesAnswer(streamBody(stream), {
          ...bytesHeaders,
          'content-type': 'text/plain; charset=utf-8',
          'content-length': String(size_bytes),
          ...(query.dl === '1' && { 'content-disposition': disposition('attachment', `${id}.eml`) }),
        })
      },
    }),
    get('/api/v1/message/{id}/part/{part}', {
      summary: 'A part of a message, decoded',
      success: { type: '*/*', description: 'The bytes of the part' },
      errors: writtenErrors,
      async handler({ params, signal }) {
        const { stream, content_type, filename } = await openPart(params, signal())
        const file = { content_type, filename: filename ?? `part-${params.part}` }
        return bytesAnswer(streamBody(stream), attachmentHeaders(file))
      },
    }),
    get('/api/v1/message/{id}/part/{part}/thumb', {
      summary: 'A small image of a message: the image itself, which is not scaled',
      success: { type: 'image/*', description: 'The image' },
      errors: writtenErrors,
      async handler({ params, signal }) {
        return thumbOf(params.part, await openPart(params, signal()))
      },
    }),
    post('/api/v1/message/{id}/release', {
      summary: 'Send a message to real addresses, through the relay',
      body: { schema: releaseBody, anyType: true },
      success: okSuccess,
      errors: [...writtenErrors, 'relay_not_configured', 'relay_failed'],
      async handler({ params, body, signal }) {
        const id = await idOf(inbox, params.id, {}, signal())
        // All addresses are checked before the first is sent to.
        for (const to of body.To.map(oneAddress)) await inbox.release(id, { to })
        return ok
      },
    }),
  ]
}

type OpenedPart = Awaited<ReturnType<Inbox['part']>>

/** The image itself, if it is a small one. @throws not_found */
async function thumbOf(part: string, { stream, content_type, filename }: OpenedPart): Promise<Answer> {
  const isImage = /^image\/(?:png|jpeg|gif|webp)$/i.test(content_type)
  const bytes = await readBeginning(stream, isImage ? maxThumbBytes + 1 : 1)
  if (isImage && bytes.length <= maxThumbBytes)
    return bytesAnswer(bytes, attachmentHeaders({ content_type, filename: filename ?? 'image' }))
  const what = isImage ? `has more than ${maxThumbBytes} bytes` : `is ${content_type}, not an image`
  const message = `There is no thumbnail: part ${quote(part)} ${what}, and images are not scaled here. Use the part itself.`
  throw new LocalpostError('not_found', message)
}

/** @throws validation_error unless the text is one address. */
function oneAddress(given: string): string {
  const [address, ...others] = parseAddresses(given)
  const checked = normalizeAddress(address?.address ?? '')
  if (others.length === 0 && 'address' in checked) return checked.address
  throw validationError([{ field: 'To', message: `${quote(given)} is not one address` }])
}

/** The header of a message; null while it is not written. */
async function headerOf(
  inbox: Pick<Inbox, 'raw'>,
  id: string,
  signal: AbortSignal,
): Promise<HeaderBlock | null> {
  try {
    return readHeader(await beginningOf(inbox, id, signal))
  } catch (error) {
    if (isErrorOf(error, 'message_pending')) return null
    throw error
  }
}

/** The bytes in which a header is looked for: longer ones are hostile. */
async function beginningOf(inbox: Pick<Inbox, 'raw'>, id: string, signal: AbortSignal): Promise<Buffer> {
  const { stream } = await inbox.raw(id, { range: { start: 0, end: longBytes }, signal })
  return Buffer.concat(await stream.toArray({ signal }))
}

const maxThumbBytes = 256 * 1024
