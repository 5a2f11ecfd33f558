import { expect } from 'vitest'
import type { Localpost } from '../../../src/index.ts'
import { assertMatchesOpenApi } from '../../server/validate-response.ts'

/** The answer to a request, with its body read. */
interface Answered<Body> {
  status: number
  body: Body
}

/** What an answer to a send says, right or wrong. */
export interface Result {
  To?: string
  Cc?: string
  Bcc?: string
  SubmittedAt?: string
  MessageID: string
  ErrorCode: number
  Message: string
}

export type Call = <Body = Result>(method: string, path: string, body?: unknown) => Promise<Answered<Body>>

/** Makes requests to `/postmark`, by default with the key of the account `default`; checks each answer against the document. */
export function postmarkCaller(post: Localpost, key: string = post.apiKey): Call {
  return async <Body>(method: string, path: string, body?: unknown): Promise<Answered<Body>> => {
    const headers = { 'content-type': 'application/json', 'x-postmark-server-token': key }
    const given = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const request = new Request(`http://localhost/postmark${path}`, { method, headers, ...given })
    const response = await post.fetch(request)
    await assertMatchesOpenApi(new Request(request.url, { method }), response)
    return { status: response.status, body: (await response.json()) as Body }
  }
}

export const mail = {
  From: 'Acme <hi@acme.test>',
  To: 'Ada <ada@example.com>',
  Subject: 'Hello',
  TextBody: 'It works.',
} as const

export const uuid: string = expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/) as string
export const isoTime: string = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string
export const containing = (text: string): string => expect.stringContaining(text) as string
