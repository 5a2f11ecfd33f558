import { expect } from 'vitest'
import { consume, fetchWhenFree } from './clients.ts'
import type { Watched } from './watch.ts'

/** How much of the message a body takes: the largest that is taken, nearly. */
const size = 36_000_000

const base = { from: 'eve@x.test', to: 'ada@example.com', subject: 'large' }
const repeated = (piece: string, bytes: number = size): string =>
  piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))

const dataUri = (bytes: number): string => `data:application/octet-stream;base64,${repeated('QUJD', bytes)}`

/** Requests of `POST /v1/emails` that cost a careless server seconds or gigabytes, by what they are. */
export const largeSends: Readonly<Record<string, () => object>> = {
  html: () => ({ ...base, html: repeated('<p>Hello <a href="https://x.test/">x</a></p>\n') }),
  text: () => ({ ...base, text: repeated('a line of text that is this long\r\n') }),
  'text in one line': () => ({ ...base, text: repeated('some words and ') }),
  'text of other scripts': () => ({ ...base, text: repeated('こんにちは、世界\n', 27_000_000) }),
  'html and text': () => ({
    ...base,
    html: repeated('<p>Grüße</p>\n', 15_000_000),
    text: repeated('x "quoted" \\\t', 15_000_000),
  }),
  'an attachment': () => ({ ...base, text: 'x', attachments: [{ filename: 'a.bin', path: dataUri(size) }] }),
  '20 attachments': () => ({
    ...base,
    text: 'x',
    attachments: Array.from({ length: 20 }, (_, i) => ({ filename: `${i}.bin`, path: dataUri(size / 20) })),
  }),
  links: () => ({ ...base, html: repeated('<a href="https://x.test/">your code is 123456</a>') }),
  'one variable': () => ({
    ...base,
    html: '<p>{{a}}</p>',
    variables: { a: repeated('<ü"☃', 18_000_000) },
  }),
  placeholders: () => ({
    ...base,
    text: '{{a}} and {{b}}\n'.repeat(49_000),
    variables: { a: 'v'.repeat(350), b: 'w'.repeat(350) },
  }),
}

/** Bodies that are refused. */
export const brokenBodies: Readonly<Record<string, () => string>> = {
  'a broken string': () => `{"text":"${repeated('words \\n and \\u00e4', 45_000_000)}\\x"}`,
  'an end without a quote': () => `{"text":"${repeated('words ', 45_000_000)}`,
  'a broken end': () => `{"text":"${repeated('words ', 45_000_000)}",oops}`,
  'a broken array': () => `[${repeated('[],', 45_000_000)}x]`,
  lines: () => `${repeated('\n', 45_000_000)}x`,
}

/** Sends, and waits for the delivery. @returns Its id, and the size of its message. */
export async function sendOverApi(command: Watched, request: object): Promise<{ id: string; bytes: number }> {
  const answer = await post(command, JSON.stringify(request))
  expect(answer.status).toBe(200)
  const { id } = (await answer.json()) as { id: string }
  const message = `${command.url}/dev/inbox/${id}/raw`
  const isWritten = async (): Promise<boolean> => (await fetch(message, { method: 'HEAD' })).ok
  await expect.poll(isWritten, { timeout: 60_000, interval: 200 }).toBe(true)
  const newest = async (): Promise<string> =>
    (await fetch(`${command.url}/v1/emails?limit=1`, { headers: keyOf(command) })).text()
  await expect.poll(newest, { timeout: 60_000, interval: 200 }).toMatch(/"delivered"/)
  return { id, bytes: await consume(message) }
}

/** @returns The status of the refusal, which has been read. */
export async function sendBroken(command: Watched, body: string): Promise<number> {
  const answer = await post(command, body)
  await answer.text()
  return answer.status
}

function post(command: Watched, body: string): Promise<Response> {
  const headers = { ...keyOf(command), 'content-type': 'application/json' }
  return fetchWhenFree(`${command.url}/v1/emails`, { method: 'POST', headers, body })
}

function keyOf({ apiKey }: Watched): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` }
}
