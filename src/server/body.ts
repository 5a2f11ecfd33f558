import { isAscii, isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import { LocalpostError, quote } from '../core/errors.ts'
import { maxDepth } from '../core/validate.ts'
import { explainJsonFault, faultSteps, isNestedDeeper } from '../core/json-fault.ts'
import { jsonSteps } from '../core/json-steps.ts'
import { nextTurn } from '../core/machine.ts'
import { collectBefore } from '../core/page-memory.ts'
import { paced } from '../core/yield.ts'
import { longBytes, readNode, readWeb, tooLarge } from './body-bytes.ts'
import type { BodyShare } from './body-room.ts'
import { maxBytesOf, type RouteBody } from './route.ts'

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
   * Call it only once.
   *
   * @returns The body in the form that the route expects.
   * @throws invalid_json, also for values nested deeper than 100 levels; payload_too_large for too many values.
   */
  parse(): unknown
}

/**
 * Receives the body of a request in the form that a route expects. The Content-Type and Content-Length are checked
 * before any byte is read.
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
  const isBytes = type !== null && wanted.bytesType === essenceOf(type)
  const isText = isBytes || (type !== null && wanted.textTypes?.includes(essenceOf(type)) === true)
  const isAbsent = type === null && wanted.optional === true
  if (!isAbsent) assertReadable(source.headers, type, isText, wanted)
  const announced = Number(source.headers.get('content-length') ?? 0)
  const limit = maxBytesOf(wanted)
  if (announced > limit) throw tooLarge(limit, `${announced} bytes`)
  let bytes: Buffer | null = source.node
    ? await readNode(source.node, limit, room, announced, source.onPiece)
    : await readWeb(source.body(), limit, room, source.onPiece)
  if (isAbsent && bytes.length > 0) assertReadable(source.headers, type, isText, wanted)
  return {
    isLong: bytes.length > longBytes,
    parse() {
      // Released as soon as it is not needed, because a long body may have 50 MiB.
      const given = bytes ?? Buffer.alloc(0)
      bytes = null
      if (isBytes) return given
      if (given.length === 0 && wanted.optional) return {}
      // A copy of the beginning, so that the whole body is not kept in memory while the request runs.
      note(given.length > longBytes ? Buffer.from(given.subarray(0, notedBytes)) : given)
      if (given.length > longBytes) {
        collectBefore(given.length)
        return parseLong(given, isText)
      }
      const text = textOf(given)
      return isText ? text : parseJson(withoutMark(text))
    },
  }
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

function assertReadable(
  headers: Pick<Headers, 'get'>,
  type: string | null,
  isText: boolean,
  wanted: RouteBody,
): void {
  const essence = type === null ? null : essenceOf(type)
  const isJson =
    essence !== null && (essence === 'application/json' || /^application\/[\w.-]+\+json$/.test(essence))
  if (wanted.bytesType !== undefined && !isText) {
    const given = type === null ? 'has no Content-Type' : `is ${quote(type)}`
    const message = `The body ${given}. Send \`Content-Type: ${wanted.bytesType}\`.`
    throw new LocalpostError('unsupported_media_type', message)
  }
  if (!isJson && !isText) {
    const also = wanted.textTypes ? ` or \`${wanted.textTypes.join('`, `')}\`` : ''
    const given = type === null ? 'has no Content-Type' : `is ${quote(type)}`
    throw new LocalpostError(
      'unsupported_media_type',
      `The body ${given}. Send \`Content-Type: application/json\`${also}.`,
    )
  }
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type ?? '')?.[1]?.toLowerCase()
  if (
    wanted.bytesType === undefined &&
    charset !== undefined &&
    charset !== 'utf-8' &&
    charset !== 'utf8' &&
    charset !== 'us-ascii'
  ) {
    throw new LocalpostError(
      'unsupported_media_type',
      `The charset ${quote(charset)} is not supported. Send UTF-8.`,
    )
  }
  const encoding = headers.get('content-encoding')?.trim().toLowerCase()
  if (encoding && encoding !== 'identity') {
    throw new LocalpostError(
      'unsupported_media_type',
      `The encoding ${quote(encoding)} is not supported. Send the body without Content-Encoding.`,
    )
  }
}

function essenceOf(type: string): string {
  const end = type.indexOf(';')
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
}

function textOf(bytes: Buffer): string {
  // Most bodies are ASCII. Reading them as Latin-1 is faster than decoding UTF-8.
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (isUtf8(bytes)) return bytes.toString()
  throw notUtf8()
}

function notUtf8(): LocalpostError {
  return new LocalpostError('invalid_json', 'The body is not valid UTF-8. Send it in UTF-8.')
}

function parseJson(text: string): unknown {
  if (isNestedDeeper(maxDepth, text)) throw tooDeep()
  try {
    return JSON.parse(text)
  } catch {
    if (text.trim() === '') throw empty()
    throw notJson(explainJsonFault(text))
  }
}

/** The same, yielding to the event loop at intervals. */
async function longTextOf(bytes: Buffer): Promise<string> {
  // The check took long enough for one turn of the event loop.
  if (isAscii(bytes)) return nextTurn().then(() => bytes.toString('latin1'))
  if (!isUtf8(bytes)) throw notUtf8()
  await nextTurn()
  const decoder = new StringDecoder()
  let text = ''
  for (let at = 0; at < bytes.length; at += longBytes) {
    text += decoder.write(bytes.subarray(at, at + longBytes))
    await nextTurn()
  }
  return text
}

function parseLong(bytes: Buffer, isText: boolean): Promise<unknown> {
  // Chained, because a variable of an async function would keep the bytes in memory until the function ends.
  return longTextOf(bytes).then((text) => (isText ? text : parseLongJson(withoutMark(text))))
}

/** The same in slices: `JSON.parse` would block the event loop for a tenth of a second and more. */
async function parseLongJson(text: string): Promise<unknown> {
  // Decoding the text used up the current turn of the event loop.
  await nextTurn()
  const parsed = await paced(jsonSteps(text, { depth: maxDepth, values: maxValues }))
  if ('value' in parsed) return parsed.value
  if ('exceeded' in parsed) throw parsed.exceeded === 'depth' ? tooDeep() : tooMany()
  if (parsed.fault === text.length && text.trim() === '') throw empty()
  throw notJson(await paced(faultSteps(text, parsed.fault)))
}

function tooDeep(): LocalpostError {
  const message = `The body is nested deeper than ${maxDepth} levels. Send it flatter.`
  return new LocalpostError('invalid_json', message)
}

function tooMany(): LocalpostError {
  const message = `The body has more than ${maxValues} values. Send less in one request.`
  return new LocalpostError('payload_too_large', message)
}

function empty(): LocalpostError {
  return new LocalpostError('invalid_json', 'The body is empty. Send one JSON object.')
}

function notJson(fault: string): LocalpostError {
  return new LocalpostError('invalid_json', `The body is not JSON: ${fault}.`)
}

const notedBytes = 64 * 1024
/** How many values a long body may have: parsed values take up to 20 times the memory of the body. */
const maxValues = 1_000_000
