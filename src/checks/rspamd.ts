import { z } from 'zod'
import { readBeginning } from '../core/read-beginning.ts'
import { withoutEnding } from '../core/text.ts'
import { guardedRequest } from '../net/guarded-request.ts'
import type { Asking, SpamVerdict } from './spamd.ts'

/**
 * Asks rspamd for its verdict on a message.
 *
 * @param url  Of rspamd's normal or proxy worker, as `http://127.0.0.1:11333`, or of its controller, with the password:
 *   `http://:password@127.0.0.1:11334`.
 * @throws Error with the reason: the address is forbidden, there is no connection, or the answer is not one of rspamd.
 * @see https://docs.rspamd.com/developers/protocol
 */
export async function askRspamd(url: string, message: Uint8Array, asking: Asking): Promise<SpamVerdict> {
  const target = new URL(`${withoutEnding(url, '/')}/checkv2`)
  const password = decodeURIComponent(target.password)
  target.username = ''
  target.password = ''
  const headers = {
    'content-type': 'application/octet-stream',
    'user-agent': 'localpost',
    ...(password !== '' && { password }),
  }
  const { origin } = target
  const answer = await guardedRequest(target, { method: 'POST', headers, body: message, ...asking })
  const bytes = await readBeginning(answer, maxAnswerBytes + 1)
  if (bytes.length > maxAnswerBytes)
    throw new Error(`the answer of ${origin} has more than ${maxAnswerBytes} bytes`)
  if (answer.statusCode === 401)
    throw new Error(`${origin} ${password === '' ? wantsPassword : 'refuses the password'}`)
  if (answer.statusCode !== 200) throw new Error(`${origin} answered ${answer.statusCode}`)
  const read = answerSchema.safeParse(parseJson(bytes.toString()))
  if (!read.success) throw new Error(`the answer of ${origin} is not one of rspamd`)
  const { score, required_score: required, action, symbols } = read.data
  const rules = Object.entries(symbols).map(([name, { score: points, description = '' }]) => {
    return { name, points: rounded(points), description }
  })
  return { score: rounded(score), required, mark: markOf.get(action) ?? null, rules }
}

const answerSchema = z.object({
  score: z.number(),
  required_score: z.number(),
  action: z.string().default(''),
  symbols: z
    .record(z.string(), z.object({ score: z.number(), description: z.string().optional() }))
    .default({}),
})

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Scores are sums of fractions. */
function rounded(points: number): number {
  return Math.round(points * 100) / 100
}

/** What rspamd recommends for a mail below the limit that it marks as spam, by its action. */
const markOf: ReadonlyMap<string, string> = new Map([
  ['add header', 'marks the mail as spam'],
  ['rewrite subject', 'marks the mail as spam in its subject'],
])
const wantsPassword = 'wants a password: write it before the host, as in http://:password@127.0.0.1:11334'
const maxAnswerBytes = 256 * 1024
