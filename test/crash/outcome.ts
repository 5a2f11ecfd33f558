import { expect } from 'vitest'
import type { EmailDetail, EmailListItem } from '../../src/index.ts'
import type { Started } from '../cli/command.ts'
import { bodyOf, type Acknowledged } from './load.ts'

/** Expects that all acknowledged mail is there once and complete, and that it was delivered once. */
export async function assertWhole(command: Started, all: Acknowledged): Promise<void> {
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
  for (const { id, last_event } of emails)
    expect(last_event.status, id).toMatch(/^(?:delivered|bounced|opened|clicked)$/)
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
}

/** The answer of a route of a command. */
export async function get<T>(command: Started, path: string): Promise<T> {
  const response = await fetch(command.url + path, { headers: { authorization: `Bearer ${command.apiKey}` } })
  expect(response.status, path).toBe(200)
  return (await response.json()) as T
}

/** The list of all emails. */
export async function readAll(command: Started): Promise<EmailListItem[]> {
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
export async function drained(command: Started): Promise<void> {
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
