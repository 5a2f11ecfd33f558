import type { Localpost } from '../../src/index.ts'

/** An answer of this instance, with its parsed body. */
export interface Answered {
  status: number
  body: any
}

/** Calls `POST /dev/emails`. */
export function sendWhole(post: Localpost, body: unknown, key?: string): Promise<Answered> {
  return call(post, 'POST', '/dev/emails', body, key ? { 'idempotency-key': key } : {})
}

/** Calls a route of the control API. */
export async function call(
  post: Localpost,
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Answered> {
  const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...more }
  const text = body === undefined ? null : JSON.stringify(body)
  const answer = await post.fetch(new Request(`http://localhost${path}`, { method, headers, body: text }))
  return { status: answer.status, body: await answer.json() }
}
