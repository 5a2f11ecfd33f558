import { expect } from 'vitest'
import type { Localpost } from '../../../src/index.ts'
import { assertMatchesOpenApi } from '../../server/validate-response.ts'
import { authorizationOf } from '../_authorization.ts'

/** The answer to a request, with its body read. */
export interface Answered<Body> {
  status: number
  body: Body
}

/** A value of a form: a text, or several, or a file. */
export type FormValue = string | readonly (string | File)[] | File

/** What is sent: a form of any type, or JSON. */
export type Given =
  | { form: Record<string, FormValue> }
  | { query: Record<string, string> }
  | { json: unknown }

export type Call = <Body = { id: string; message: string }>(
  method: string,
  path: string,
  given?: Given,
  key?: string | null,
) => Promise<Answered<Body>>

/** Makes requests to `/mailgun`, by default with the key of the account `default`; checks each answer against the document. */
export function mailgunCaller(post: Localpost): Call {
  return async <Body>(
    method: string,
    path: string,
    given?: Given,
    key: string | null = post.apiKey,
  ): Promise<Answered<Body>> => {
    const headers: Record<string, string> =
      key === null ? {} : { authorization: authorizationOf('/mailgun', key) }
    if (given && 'json' in given) headers['content-type'] = 'application/json'
    const url = `http://localhost/mailgun${path}`
    const response = await post.fetch(new Request(url, { method, headers, ...bodyOf(given) }))
    await assertMatchesOpenApi(new Request(url, { method }), response)
    return { status: response.status, body: (await response.json()) as Body }
  }
}

function bodyOf(given: Given | undefined): RequestInit {
  if (!given) return {}
  if ('json' in given) return { body: JSON.stringify(given.json) }
  if ('query' in given) return { body: new URLSearchParams(given.query) }
  const form = new FormData()
  for (const [name, value] of Object.entries(given.form))
    for (const one of typeof value === 'string' || value instanceof File ? [value] : value)
      if (one instanceof File) form.append(name, one, one.name)
      else form.append(name, one)
  return { body: form }
}

export const mail = {
  from: 'Acme <hi@acme.test>',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'It works.',
} as const

export const messages = '/v3/acme.test/messages'

/** Waits until every recipient has a final event, and so every message is written. */
export async function settled(post: Localpost): Promise<void> {
  const waiting = async (): Promise<number> => (await post.inbox.list({ query: 'status:sent' })).count
  await expect.poll(waiting, { timeout: 5000 }).toBe(0)
}
