import type { IncomingMessage } from 'node:http'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { FormBody, formTypes } from '../core/form.ts'
import { parseJsonBody, readTextBody } from '../core/json-body.ts'
import { longBodyBytes, LongBody } from '../core/long-body.ts'
import { collectBefore } from '../core/page-memory.ts'
import { readNode, readWeb, tooLarge } from './body-bytes.ts'
import type { BodyShare } from './body-room.ts'
import { bodyLimits, type RouteBody } from './route.ts'

/** Where a body comes from: a web stream, or for requests over a socket the Node stream, which is several times faster. */
export interface BodySource {
  readonly headers: Pick<Headers, 'get'>
  readonly body: () => ReadableStream<Uint8Array> | null
  readonly node?: IncomingMessage | undefined
  /** Called with each piece that arrives. */
  readonly onPiece?: (() => void) | undefined
}

/** A body that has arrived. */
export interface ReceivedBody {
  /** Whether working with it needs much memory. */
  readonly isLong: boolean
  /**
   * Call it only once: the body is not kept.
   *
   * @returns The body in the form that the route expects; a long one as a `LongBody`, and a form as a `FormBody`.
   * @throws invalid_json, also for values nested deeper than 100 levels; payload_too_large for too many values;
   *   validation_error for a form without a boundary.
   */
  parse(): unknown
}

/**
 * Receives the body of a request in the form that a route expects. Its Content-Length is checked before any byte is read,
 * and so is its Content-Type, except for an optional body without one: that is refused if bytes come. A route with
 * `anyType` takes every Content-Type.
 *
 * @param room  Where its bytes are counted while the request runs.
 * @param note  Called for the log with the bytes of a text body; with the first 64 KiB of a long one. It is called
 *   even if the body is not valid JSON.
 * @throws unsupported_media_type, payload_too_large, service_unavailable; invalid_json for one that was broken off.
 */
export async function receiveBody(
  source: BodySource,
  wanted: RouteBody,
  room: BodyShare,
  note: (text: Buffer) => void,
): Promise<ReceivedBody> {
  const type = source.headers.get('content-type')
  const form = formOf(type, wanted)
  const mayBeAbsent = type === null && wanted.optional === true
  const assertWanted = (): void => {
    if (!wanted.anyType) assertReadable(source.headers, type, form, wanted)
  }
  if (!mayBeAbsent) assertWanted()
  const announced = Number(source.headers.get('content-length') ?? 0)
  const limit = maxBytesOf(wanted)
  if (announced > limit) throw tooLarge(limit, `${announced} bytes`)
  let bytes: Buffer | null = source.node
    ? await readNode(source.node, limit, room, announced, source.onPiece)
    : await readWeb(source.body(), limit, room, source.onPiece)
  if (mayBeAbsent && bytes.length > 0) assertWanted()
  return {
    isLong: bytes.length > longBodyBytes,
    parse() {
      if (bytes === null) throw new Error('The body was parsed already.')
      // Released as soon as it is not needed, because a long body may have 50 MiB.
      const given = bytes
      bytes = null
      if (form === 'bytes') return given
      if (given.length === 0 && wanted.optional) return {}
      // Before it is parsed, because the log also shows bodies that cannot be parsed. A copy of the beginning, because the
      // log would keep the whole body in memory while the request runs.
      note(given.length > longBodyBytes ? Buffer.from(given.subarray(0, notedBytes)) : given)
      if (given.length > longBodyBytes) {
        collectBefore(given.length)
        if (form !== 'form') return new LongBody(given, form === 'text')
      }
      if (form === 'form') return FormBody.fromContentType(given, type ?? '')
      return form === 'text' ? readTextBody(given) : parseJsonBody(given)
    },
  }
}

/** How a body is read. */
type BodyForm = 'bytes' | 'form' | 'text' | 'json'

function formOf(type: string | null, { bytesType, forms, textTypes }: RouteBody): BodyForm {
  if (type === null) return 'json'
  const essence = essenceOf(type)
  if (essence === bytesType) return 'bytes'
  if (forms !== undefined && formTypes.some((formType) => formType === essence)) return 'form'
  return textTypes?.includes(essence) ? 'text' : 'json'
}

function assertReadable(
  headers: Pick<Headers, 'get'>,
  type: string | null,
  form: BodyForm,
  { bytesType, textTypes, forms }: RouteBody,
): void {
  const essence = type === null ? '' : essenceOf(type)
  const isJson = essence === 'application/json' || /^application\/[\w.-]+\+json$/.test(essence)
  const takesNoJson = bytesType !== undefined || forms === 'only'
  if (form === 'json' && (takesNoJson || !isJson)) {
    const given = type === null ? 'has no Content-Type' : `is ${quote(type)}`
    const [first, ...others] = [
      ...(takesNoJson ? [] : ['application/json']),
      ...(bytesType === undefined ? [] : [bytesType]),
      ...(textTypes ?? []),
      ...(forms ? formTypes : []),
    ]
    const also = others.length === 0 ? '' : ` or \`${others.join('`, `')}\``
    throw unreadable(`The body ${given}. Send \`Content-Type: ${first}\`${also}.`)
  }
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  if (bytesType === undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset))
    throw unreadable(`The charset ${quote(charset)} is not supported. Send UTF-8.`)
  const encoding = headers.get('content-encoding')?.trim().toLowerCase()
  if (encoding && encoding !== 'identity')
    throw unreadable(
      `The encoding ${quote(encoding)} is not supported. Send the body without Content-Encoding.`,
    )
}

function unreadable(message: string): LocalpostError {
  return new LocalpostError('unsupported_media_type', message)
}

/** The largest body that a route takes, in bytes. */
export function maxBytesOf(body: RouteBody): number {
  return body.maxBytes ?? bodyLimits.json
}

function essenceOf(type: string): string {
  const end = type.indexOf(';')
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
}

const notedBytes = 64 * 1024
