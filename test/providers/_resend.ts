import { expect } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { assertMatchesOpenApi } from '../server/validate-response.ts'

/** The answer to a request, with its body read. */
export interface Answered<Body> {
  status: number
  headers: Headers
  body: Body
}

type Call = <Body = { id: string }>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answered<Body>>

/** Makes requests to `/resend`, by default with the key of the account `default`; checks each answer against the OpenAPI document. */
export function resendCaller(post: Localpost, key: string | null = post.apiKey): Call {
  return async <Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered<Body>> => {
    const given: Record<string, string> = { 'content-type': 'application/json', ...headers }
    if (key !== null) given['authorization'] = `Bearer ${key}`
    const init = { method, headers: given, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const request = new Request(`http://localhost/resend${path}`, init)
    const response = await post.fetch(request)
    await assertMatchesOpenApi(new Request(request.url, { method }), response)
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
  }
}

/** An error as Resend writes it. */
export interface ResendError {
  statusCode: number
  name: string
  message: string
}

export const mail = {
  from: 'Acme <hi@acme.test>',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'It works.',
} as const

export const containing = (text: string): string => expect.stringContaining(text) as string
