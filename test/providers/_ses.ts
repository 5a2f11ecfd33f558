import type { Localpost } from '../../src/index.ts'
import { assertMatchesOpenApi } from '../server/validate-response.ts'
import { authorizationOf } from './_authorization.ts'

/** The answer to a request, with its body read. */
export interface Answered<Body> {
  status: number
  type: string | null
  body: Body
}

/** Makes requests to version 2, and checks each answer against its document. */
export function sesCaller(post: Localpost) {
  return async <Body = { MessageId: string; message: string }>(
    method: string,
    path: string,
    given?: unknown,
  ): Promise<Answered<Body>> => {
    const url = `http://localhost/ses/v2/email${path}`
    const headers: Record<string, string> = { authorization: authorizationOf('/ses', post.apiKey) }
    if (given !== undefined) headers['content-type'] = 'application/json'
    const body = given === undefined ? {} : { body: JSON.stringify(given) }
    const response = await post.fetch(new Request(url, { method, headers, ...body }))
    await assertMatchesOpenApi(new Request(url, { method }), response)
    return {
      status: response.status,
      type: response.headers.get('x-amzn-errortype'),
      body: (await response.json()) as Body,
    }
  }
}
