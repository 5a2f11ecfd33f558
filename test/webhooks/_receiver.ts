import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, vi } from 'vitest'
import type { WebhookPayload } from '../../src/webhooks/webhook.ts'

/** Waits until a check passes; a busy machine takes longer. */
export function eventually(check: () => void | Promise<void>, timeout = 45_000): Promise<void> {
  return vi.waitFor(check, { timeout })
}

/** One request that a receiver got. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  text: string
  payload: WebhookPayload
}

/** A receiver on loopback, with all received requests. */
export interface Receiver {
  url: string
  received: Received[]
  /** The most requests that were open at the same time. */
  mostOpen(): number
}

type Answer = (response: ServerResponse, received: Received, count: number) => void

const take: Answer = (response) => void response.end('thanks')

/**
 * Opens a receiver that the end of the test closes.
 *
 * @param answer  Gets the number of the request, the first being 1. Default: 200.
 */
export async function openReceiver(answer: Answer = take): Promise<Receiver> {
  const received: Received[] = []
  let open = 0
  let most = 0
  const server = createServer((request, response) => {
    most = Math.max(most, ++open)
    response.on('close', () => open--)
    void readText(request).then((text) => {
      const payload = JSON.parse(text) as WebhookPayload
      const one = { path: request.url ?? '', headers: request.headers, text, payload }
      received.push(one)
      answer(response, one, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  return { url, received, mostOpen: () => most }
}

async function readText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
