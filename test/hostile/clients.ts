import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Watched } from './watch.ts'

/** Imports a message with `POST /dev/inbox/import`. @returns Its id. */
export async function importMessage({ url }: Watched, bytes: Buffer): Promise<string> {
  const headers = { 'content-type': 'message/rfc822' }
  const body = new Uint8Array(bytes)
  const response = await fetchWhenFree(`${url}/dev/inbox/import`, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: string }).id
}

/** Submits a message over SMTP. @param bytes  Without a line that begins with a dot. @returns Its id. */
export function submitMessage({ smtpPort }: Watched, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(smtpPort, '127.0.0.1')
    const commands = ['EHLO x.test', 'MAIL FROM:<eve@x.test>', 'RCPT TO:<ada@example.com>', 'DATA']
    let heard = ''
    socket.on('error', reject)
    socket.on('data', (piece: Buffer) => {
      heard += piece.toString()
      const reply = /^(?:\d{3}-.*\r\n)*(\d{3}) .*\r\n/.exec(heard)
      if (!reply) return
      heard = heard.slice(reply[0].length)
      const [, id] = /captured as (\S+)/.exec(reply[0]) ?? []
      const next = commands.shift()
      if (id !== undefined) {
        socket.end('QUIT\r\n')
        resolve(id)
      } else if (Number(reply[1]) >= 400) reject(new Error(reply[0]))
      else if (next !== undefined) socket.write(`${next}\r\n`)
      else {
        socket.write(bytes)
        socket.write(bytes.subarray(-2).toString() === '\r\n' ? '.\r\n' : '\r\n.\r\n')
      }
    })
  })
}

/**
 * Sends a request, and sends it again after each 503 with `Retry-After`: large messages take turns, and a client that is
 * told to wait does.
 */
export async function fetchWhenFree(url: string, request: RequestInit): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, request)
    const seconds = response.headers.get('retry-after')
    if (response.status !== 503 || seconds === null || tries === mostTries) return response
    await response.body?.cancel()
    await pause(Number(seconds) * 1000)
  }
}

/** With a wait of 15 s in the server before each 503, several minutes. */
const mostTries = 20

/** Reads an answer to its end. @returns Its size. */
export async function consume(url: string, key?: string): Promise<number> {
  const page = { 'x-localpost-page': '1' }
  const headers: Record<string, string> = key === undefined ? page : { authorization: `Bearer ${key}` }
  const response = await fetchWhenFree(url, { headers })
  expect([200, 404], url).toContain(response.status)
  let bytes = 0
  for await (const piece of response.body ?? []) bytes += piece.length
  return bytes
}

/** Reads the head of an answer, and then nothing more. */
export function begin(url: string, key: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    get(url, { agent: false, headers }, (response) => resolve(response.on('error', () => undefined))).on(
      'error',
      reject,
    )
  })
}
