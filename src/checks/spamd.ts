import { connect } from 'node:net'
import { guardedLookup, addressProblem, type GuardedRequest } from '../net/guarded-request.ts'

/** The result of a spam filter for a message. */
export interface SpamVerdict {
  score: number
  /** From this score on it is spam. */
  required: number
  /** What the filter does with the message below that score, if it marks it as spam; null otherwise. */
  mark: string | null
  rules: SpamRule[]
}

/** A rule that applies to the message. */
export interface SpamRule {
  name: string
  points: number
  /** `""` without one. */
  description: string
}

/** Which addresses may be asked, and what ends that. */
export type Asking = Pick<GuardedRequest, 'problemOf' | 'signal'>

/** Where a daemon listens. */
export interface Endpoint {
  host: string
  port: number
}

/** Reads `host:port`, with an IPv6 address in brackets; null for anything else. */
export function parseEndpoint(text: string): Endpoint | null {
  const [, bracketed, plain, digits = ''] = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  return host === undefined || port < 1 || port > 65_535 ? null : { host, port }
}

/**
 * Asks SpamAssassin's daemon for its report of a message.
 *
 * @throws Error with the reason: the address is forbidden, there is no connection, the answer is not one of spamd, or the
 *   signal's reason.
 * @see spamd/PROTOCOL of SpamAssassin
 */
export async function askSpamd(
  endpoint: Endpoint,
  message: Uint8Array,
  asking: Asking,
): Promise<SpamVerdict> {
  const head = `REPORT SPAMC/1.5\r\nContent-length: ${message.length}\r\n\r\n`
  return parseAnswer(await exchange(endpoint, Buffer.concat([Buffer.from(head), message]), asking))
}

function exchange(
  { host, port }: Endpoint,
  request: Uint8Array,
  { problemOf, signal }: Asking,
): Promise<string> {
  const problem = addressProblem(host, port, problemOf)
  if (problem !== null) return Promise.reject(new Error(problem))
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let size = 0
    const socket = connect({ host, port, lookup: guardedLookup(host, port, { problemOf }) })
    const onAbort = (): void => void socket.destroy(new Error('aborted', { cause: signal.reason }))
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    socket
      .on('data', (piece: Buffer) => {
        size += piece.length
        if (size > maxAnswerBytes)
          socket.destroy(new Error(`the answer of ${host}:${port} has more than ${maxAnswerBytes} bytes`))
        pieces.push(piece)
      })
      .on('end', () => {
        if (size > 0) resolve(Buffer.concat(pieces).toString())
      })
      .on('error', reject)
      .on('close', () => {
        signal.removeEventListener('abort', onAbort)
        reject(new Error(`${host}:${port} closed the connection without an answer`))
      })
      .end(request)
  })
}

function parseAnswer(answer: string): SpamVerdict {
  const [head = '', body = ''] = splitAtFirst(answer, /\r?\n\r?\n/)
  const [, code = '', status = ''] = /^SPAMD\/[\d.]+ (\d+) (\S*)/.exec(head) ?? []
  if (code === '') throw new Error(`the answer is not one of spamd: ${JSON.stringify(answer.slice(0, 60))}`)
  if (code !== '0') throw new Error(`spamd answered ${code} ${status}`.trim())
  const [, score, required] =
    /^Spam:\s*\w+\s*;\s*(-?\d+(?:\.\d+)?)\s*\/\s*(-?\d+(?:\.\d+)?)/im.exec(head) ?? []
  if (score === undefined) throw new Error('the answer of spamd has no score')
  return { score: Number(score), required: Number(required), mark: null, rules: rulesOf(body) }
}

/** The rules of the table at the end of the report. Long descriptions continue in the next line. */
function rulesOf(report: string): SpamRule[] {
  const [, table = ''] = splitAtFirst(report, /^-{3,} -{3,}.*$/m)
  const rules: SpamRule[] = []
  for (const line of table.split(/\r?\n/).slice(0, 500)) {
    const [, points, name, description = ''] = /^\s*(-?\d+(?:\.\d+)?)\s+([A-Z]\w+)\s+(.*)/s.exec(line) ?? []
    const last = rules.at(-1)
    if (points !== undefined && name !== undefined) rules.push({ name, points: Number(points), description })
    else if (last && /^\s{10,}\S/.test(line)) last.description += ` ${line.trim()}`
  }
  return rules
}

function splitAtFirst(text: string, at: RegExp): [string, string] {
  const found = at.exec(text)
  return found ? [text.slice(0, found.index), text.slice(found.index + found[0].length)] : [text, '']
}

const maxAnswerBytes = 256 * 1024
