import { onTestFinished } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { RawClient } from '../capture/_server.ts'

/** A raw client that got the greeting and, if it may continue, sent EHLO. */
export async function greeted(post: Localpost): Promise<RawClient> {
  const client = new RawClient(post.smtp)
  onTestFinished(() => void client.socket.destroy())
  await client.reply()
  return client
}

/** The last outcome of each recipient, as soon as everybody has one. */
export async function outcomes(post: Localpost, id: string): Promise<Record<string, Outcome>> {
  for (;;) {
    const { recipients } = await post.inbox.get(id)
    const last = recipients.map(({ recipient, events }) => [recipient, events.at(-1)] as const)
    if (last.every(([, event]) => event?.status === 'delivered' || event?.status === 'bounced'))
      return Object.fromEntries(last) as Record<string, Outcome>
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** The parts of an event that these tests check. */
export interface Outcome {
  status: string
  timestamp: number
  type?: string
  subtype?: string
  smtp_response?: string
}

/** Sends line after line; returns the replies until one is missing because the connection ended. */
export async function dialogue(client: RawClient, lines: readonly string[]): Promise<string[]> {
  const replies: string[] = []
  for (const line of lines) {
    replies.push(await client.say(line))
    if (client.isClosed) break
  }
  return replies
}

/** A whole submission after the greeting, in lines. */
export const submission: readonly string[] = [
  'EHLO app.test',
  'AUTH PLAIN AG1lAHg=',
  'MAIL FROM:<app@acme.test>',
  'RCPT TO:<ada@example.com>',
  'DATA',
  'Subject: Hi\r\n\r\nHello\r\n.',
]
