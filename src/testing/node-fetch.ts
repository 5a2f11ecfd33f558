import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { reasonOf } from '../net/guarded-request.ts'
import { streamBody } from '../server/body-streams.ts'

/** `fetch` over `node:http`: that of a DOM reaches only the origin of its page. Redirects are not followed. */
export async function nodeFetch(request: Request): Promise<Response> {
  const { url, method, headers, signal } = request
  const body = request.body && Buffer.from(await request.arrayBuffer())
  const send: typeof httpRequest = url.startsWith('https:') ? httpsRequest : httpRequest
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    send(url, { method, headers: Object.fromEntries(headers), signal })
      .on('response', resolve)
      .on('error', (error) => reject(signal.aborted ? error : new Error(reasonOf(error))))
      .end(body)
  })
  const { statusCode: status = 0, statusMessage: statusText = '', headersDistinct } = answer
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304
  if (!hasBody) answer.resume()
  const all = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Response(hasBody ? streamBody(answer) : null, { status, statusText, headers: all })
}
