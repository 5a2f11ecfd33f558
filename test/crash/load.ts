import { randomUUID } from 'node:crypto'
import { createTransport } from 'nodemailer'
import type { Started } from '../cli/command.ts'

/** The acknowledged mail: subject to id for the API, subject alone for SMTP. */
export interface Acknowledged {
  api: Map<string, string>
  smtp: Set<string>
}

/**
 * Sends mail to a running command over SMTP and HTTP until it exits; every subject is unique.
 *
 * @param options  `retries`: whether a sender that is told to try again later sends another mail; without it that ends the
 *   sender. `pauses`: whether the API gets nothing for now.
 * @returns The acknowledged mail so far, filled during the load; and why each sender ended.
 */
export function load(
  command: Started,
  { retries = false, pauses = () => false }: { retries?: boolean; pauses?: () => boolean } = {},
): {
  acknowledged: Acknowledged
  /** When each subject was acknowledged, by `performance.now`. */
  times: Map<string, number>
  ended: Promise<unknown[]>
} {
  const acknowledged: Acknowledged = { api: new Map(), smtp: new Set() }
  const times = new Map<string, number>()
  const host = '127.0.0.1'
  const transport = createTransport({
    host,
    port: command.smtpPort,
    pool: true,
    maxConnections: 4,
    ignoreTLS: true,
  })
  const senders = [
    ...Array.from({ length: 4 }, () => repeat(() => submit(acknowledged))),
    ...Array.from({ length: 4 }, () => repeat(() => post(acknowledged))),
  ]

  async function submit({ smtp }: Acknowledged): Promise<void> {
    const subject = `smtp ${randomUUID()}`
    try {
      await transport.sendMail({
        from: 'app@acme.test',
        to: 'ada@example.com',
        subject,
        text: bodyOf(subject),
      })
    } catch (error) {
      const { responseCode } = error as { responseCode?: number }
      if (!retries || (responseCode !== 451 && responseCode !== 452)) throw error
      return await pause(50)
    }
    smtp.add(subject)
    times.set(subject, performance.now())
  }

  async function post({ api }: Acknowledged): Promise<void> {
    // A killed command ends a sender that pauses, too.
    if (pauses()) return await reach(command)
    const subject = `api ${randomUUID()}`
    const to = Math.random() < 0.2 ? 'bounce@simulator.localpost' : 'ada@example.com'
    const response = await fetch(`${command.url}/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${command.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'app@acme.test', to, subject, text: bodyOf(subject) }),
    })
    if (retries && response.status === 503) return await pause(50)
    if (response.status !== 200) throw new Error(`answered ${response.status}`)
    const { id } = (await response.json()) as { id: string }
    api.set(subject, id)
    times.set(subject, performance.now())
  }

  const ended = Promise.all(senders).finally(() => transport.close())
  return { acknowledged, times, ended }
}

/** Waits a moment. @throws If the command does not run. */
async function reach({ url }: Started): Promise<void> {
  await pause(50)
  await fetch(`${url}/dev/health`, { method: 'HEAD' })
}

/** The text of the mail with this subject: long enough to detect a torn write. */
export function bodyOf(subject: string): string {
  return `${subject} `.repeat(60).trim()
}

// The connection breaks when the command is killed: the sender ends here.
async function repeat(once: () => Promise<void>): Promise<unknown> {
  for (;;) {
    try {
      await once()
    } catch (error) {
      return error
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
