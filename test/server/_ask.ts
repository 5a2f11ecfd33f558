import { request, type IncomingMessage } from 'node:http'
import type { Face } from './_face.ts'

/** The answer to {@link ask}. */
export interface RawAnswer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

/** A raw request: with any Host, and a path that no client normalises. */
export function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
    })
    sent.on('error', reject).end(body)
  })
}

/** The port of a face that listens. */
export function portOf(face: Face): number {
  return Number(new URL(face.base).port)
}
