import type { Localpost } from '../../../src/index.ts'
import { assertMatchesOpenApi } from '../../server/validate-response.ts'
import type { Answered } from '../_resend.ts'

type Call = <Body = unknown>(method: string, path: string, body?: unknown) => Promise<Answered<Body>>

/** Makes requests to `/sendgrid/v3`, by default with the key of the account `default`; checks each answer against the OpenAPI document. */
export function sendgridCaller(post: Localpost, key: string = post.apiKey): Call {
  return async <Body>(method: string, path: string, body?: unknown): Promise<Answered<Body>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const request = new Request(`http://localhost/sendgrid/v3${path}`, init)
    const response = await post.fetch(request)
    await assertMatchesOpenApi(new Request(request.url, { method }), response)
    const text = await response.text()
    const read = (text === '' ? null : JSON.parse(text)) as Body
    return { status: response.status, headers: response.headers, body: read }
  }
}

/** Errors as SendGrid writes them. */
export interface SendGridErrors {
  errors: { message: string; field: string | null; help: null }[]
}

export const mail = {
  personalizations: [{ to: [{ email: 'ada@example.com', name: 'Ada' }] }],
  from: { email: 'hi@acme.test', name: 'Acme' },
  subject: 'Hello',
  content: [{ type: 'text/plain', value: 'It works.' }],
}
