import type { Readable } from 'node:stream'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { bytesAnswer, type Answer } from './answer.ts'
import { streamBody } from './body-streams.ts'

interface Opened {
  stream: Readable
  size_bytes: number
}

/**
 * Answers bytes: all of them, or the one range that was requested.
 *
 * @param whole  All of them; closed where a range is answered.
 * @throws range_not_satisfiable if the range begins behind the end.
 * @see RFC 9110 section 14
 */
export async function rangeAnswer(
  request: Pick<Headers, 'get'>,
  whole: Opened,
  open: (range: { start: number; end: number }) => Promise<Opened>,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { stream, size_bytes: size } = whole
  const all = { ...headers, 'accept-ranges': 'bytes' }
  const asked = request.get('range')
  const range = asked === null || request.get('if-range') !== null ? null : rangeOf(asked, size)
  if (range === null) return bytesAnswer(streamBody(stream), { ...all, 'content-length': String(size) })
  stream.destroy()
  const { start, end } = range
  if (start >= end) {
    const message = `The range ${quote(asked)} begins behind the end of ${size} bytes.`
    const given = { 'content-range': `bytes */${size}` }
    throw new LocalpostError('range_not_satisfiable', message, { headers: given })
  }
  const part = await open(range)
  return bytesAnswer(
    streamBody(part.stream),
    { ...all, 'content-length': String(end - start), 'content-range': `bytes ${start}-${end - 1}/${size}` },
    206,
  )
}

/** @returns null if it is not a single range: it is passed over. */
function rangeOf(asked: string, size: number): { start: number; end: number } | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(asked.trim()) ?? []
  if (first === '' && last === '') return null
  // The last so many bytes.
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size }
  if (last !== '' && Number(last) < Number(first)) return null
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) }
}
