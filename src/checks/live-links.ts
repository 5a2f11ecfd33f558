import type { IncomingMessage } from 'node:http'
import { monotonicNow } from '../core/machine.ts'
import { ownSignal } from '../core/own-signal.ts'
import { guardedRequest, reasonOf, urlProblem } from '../net/guarded-request.ts'
import { shownUrlLength } from './lengths.ts'
import type { Asking } from './spamd.ts'

/** The result of requesting a URL. */
export interface LiveAnswer {
  /** The last status; null without an answer. */
  status: number | null
  content_type: string | null
  /** How many redirects were followed. */
  redirects: number
  /** The URL that answered. */
  target: string
  duration_ms: number
  /** Why there is no answer, as the end of a sentence; null with one. */
  reason: string | null
  /** Whether `target`, the URL itself or one that it redirects to, was not requested, because that is not allowed. */
  isRefused: boolean
}

/**
 * Requests a URL: by HEAD, and by GET if a server does not support HEAD well. At most five redirects are followed, each
 * checked like the first URL. Bodies are not read.
 */
export async function askLive(url: string, { problemOf, signal }: Asking): Promise<LiveAnswer> {
  const began = monotonicNow()
  const ended = AbortSignal.any([ownSignal(signal), AbortSignal.timeout(timeoutMs)])
  let target = new URL(url)
  let redirects = 0
  const answerWith = (answer: Partial<LiveAnswer>): LiveAnswer => ({
    status: null,
    content_type: null,
    redirects,
    target: target.href,
    duration_ms: Math.round(monotonicNow() - began),
    reason: null,
    isRefused: false,
    ...answer,
  })
  try {
    for (;;) {
      const problem = urlProblem(target.href, problemOf)
      if (problem !== null) return answerWith({ reason: problem, isRefused: true })
      const asking = { problemOf, signal: ended }
      let answer = await ask('HEAD', target, asking)
      if ((answer.statusCode ?? 0) >= 400) answer = await ask('GET', target, asking)
      const status = answer.statusCode ?? 0
      const location = answer.headers.location
      if (status < 300 || status >= 400 || location === undefined)
        return answerWith({ status, content_type: answer.headers['content-type'] ?? null })
      const next = URL.canParse(location, target.href) ? new URL(location, target.href) : null
      if (!next || !/^https?:$/.test(next.protocol))
        return answerWith({
          status,
          reason: `it redirects to ${JSON.stringify(location.slice(0, shownUrlLength))}`,
        })
      if (redirects === maxRedirects)
        return answerWith({ status, reason: `it redirects more than ${maxRedirects} times` })
      redirects++
      target = next
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return answerWith({
      reason: ended.aborted ? `no answer within ${timeoutMs / 1000} seconds` : reasonOf(error),
    })
  }
}

async function ask(method: 'GET' | 'HEAD', target: URL, given: Asking): Promise<IncomingMessage> {
  const headers = { 'user-agent': 'localpost', accept: '*/*', 'accept-encoding': 'identity' }
  const answer = await guardedRequest(target, { method, headers, ...given })
  return answer.on('error', () => {}).destroy()
}

const maxRedirects = 5
const timeoutMs = 5000
