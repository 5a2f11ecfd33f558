import { expect, it } from 'vitest'
import type { EmailDetail, EmailListItem } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startCommand, type Started } from '../cli/command.ts'
import { roundsOf } from '../support/long.ts'
import { progressOf } from '../support/progress.ts'
import { bodyOf, load, type Acknowledged } from './load.ts'

/** `LOCALPOST_KILLS=200 npm test -- test/crash` is the long variant. */
const rounds = roundsOf('LOCALPOST_KILLS', { short: 8, long: 20 })

it(
  `everything acknowledged survives ${rounds} kills at random moments, once and complete, and is delivered`,
  async () => {
    const cwd = temporaryFolder()
    const all: Acknowledged = { api: new Map(), smtp: new Set() }
    const progress = progressOf('kills', rounds)
    for (let round = 1; round <= rounds; round++) {
      progress()
      const command = await startCommand([], { cwd })
      const { acknowledged, ended } = load(command)
      let isRunning = true
      const reasons = ended.then((errors) => {
        if (isRunning) throw new AggregateError(errors, 'the load ended before the kill')
      })
      // A round in which nothing was acknowledged proves nothing.
      while (acknowledged.api.size === 0 || acknowledged.smtp.size === 0)
        await Promise.race([pause(5), reasons])
      await Promise.race([pause(Math.random() * 400), reasons])
      isRunning = false
      process.kill(command.pid, 'SIGKILL')
      await command.ended
      await reasons
      for (const [subject, id] of acknowledged.api) all.api.set(subject, id)
      for (const subject of acknowledged.smtp) all.smtp.add(subject)
    }

    const command = await startCommand([], { cwd })
    await drained(command)
    const emails = await readAll(command)
    const bySubject = groupBySubject(emails)
    for (const [subject, id] of all.api) {
      expect(
        bySubject.get(subject)?.map((email) => email.id),
        subject,
      ).toEqual([id])
    }
    for (const subject of all.smtp) expect(bySubject.get(subject)?.length, subject).toBe(1)
    for (const { id, last_event } of emails) expect(last_event.status, id).toMatch(/^(?:delivered|bounced)$/)
    for (const subject of sample([...all.api.keys(), ...all.smtp], 100)) {
      const { id } = bySubject.get(subject)?.[0] ?? { id: '' }
      const detail = await get<EmailDetail>(command, `/v1/emails/${id}`)
      expect(detail.text.trim(), subject).toBe(bodyOf(subject))
      for (const { events } of detail.recipient_statuses) {
        expect(events.map(({ status }) => status)).toEqual([
          'sent',
          expect.stringMatching(/^(?:delivered|bounced)$/),
        ])
      }
    }
    command.signal('SIGTERM')
    await command.ended
    console.log(
      `${rounds} kills: ${all.api.size} API sends and ${all.smtp.size} submissions acknowledged, none lost, none twice`,
    )
  },
  60_000 + rounds * 6_000,
)

async function get<T>(command: Started, path: string): Promise<T> {
  const response = await fetch(command.url + path, { headers: { authorization: `Bearer ${command.apiKey}` } })
  expect(response.status, path).toBe(200)
  return (await response.json()) as T
}

async function readAll(command: Started): Promise<EmailListItem[]> {
  const emails: EmailListItem[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { emails: EmailListItem[]; count: number; cursor: string | null } = await get(
      command,
      `/v1/emails?cursor=${cursor}`,
    )
    emails.push(...page.emails)
    cursor = page.cursor
    if (cursor === null) expect(emails.length).toBe(page.count)
  }
  return emails
}

/** Waits until the outbox is empty; bounded by the time limit of the test. */
async function drained(command: Started): Promise<void> {
  for (;;) {
    const emails = await readAll(command)
    if (emails.every(({ last_event }) => last_event.status !== 'sent')) return
    await pause(200)
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function groupBySubject(emails: EmailListItem[]): Map<string, EmailListItem[]> {
  const groups = new Map<string, EmailListItem[]>()
  for (const email of emails) groups.set(email.subject, [...(groups.get(email.subject) ?? []), email])
  return groups
}

function sample<T>(items: readonly T[], size: number): T[] {
  return [...items].sort(() => Math.random() - 0.5).slice(0, size)
}
