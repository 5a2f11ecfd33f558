import { expect, it } from 'vitest'
import type { MailSummary } from '../../src/inbox/types.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startCommand, type Started } from '../cli/command.ts'
import { roundsOf } from '../support/long.ts'
import { load } from './load.ts'

/** `LOCALPOST_KILLS=200` is the long variant. */
const rounds = Math.ceil(roundsOf('LOCALPOST_KILLS', { short: 8, long: 20 }) / 4)

/** What is known of the changes so far. */
interface Known {
  /** The subjects of acknowledged submissions, which are never deleted. */
  submitted: Set<string>
  /** The number of the last acknowledged change of tags, and how many submissions there were when it began. */
  tagged: { number: number; mails: number }
  /** The subjects of API sends that an acknowledged change deleted. */
  deleted: Set<string>
}

it(
  `changes of many mails survive ${rounds} kills under load once acknowledged, and leave each mail whole`,
  async () => {
    const cwd = temporaryFolder()
    const known: Known = { submitted: new Set(), tagged: { number: 0, mails: 0 }, deleted: new Set() }
    let number = 0
    let changes = 0
    for (let round = 1; round <= rounds; round++) {
      const command = await startCommand([], { cwd })
      if (round === 1) await fill(command, known)
      await check(command, known)
      const { acknowledged, ended } = load(command)
      const changing = (async () => {
        for (;;) {
          number++
          const mails = known.submitted.size + acknowledged.smtp.size
          const sent = [...acknowledged.api.keys()]
          await call(command, 'PATCH', '?all=true', { tags: [`t${number}`] })
          known.tagged = { number, mails }
          changes++
          if (number % 3 !== 0) continue
          await call(command, 'DELETE', '?query=subject:api')
          for (const subject of sent) known.deleted.add(subject)
          changes++
        }
      })().catch((error: unknown) => error)
      const before = changes
      while (changes < before + 3) await pause(5)
      await pause(Math.random() * 300)
      process.kill(command.pid, 'SIGKILL')
      await command.ended
      await Promise.all([ended, changing])
      for (const subject of acknowledged.smtp) known.submitted.add(subject)
    }
    const command = await startCommand([], { cwd })
    await check(command, known)
    command.signal('SIGTERM')
    await command.ended
    console.log(
      `${rounds} kills: ${changes} changes of up to ${known.submitted.size} mails, none lost or torn`,
    )
  },
  60_000 + rounds * 20_000,
)

/** Imports so many mails that each change takes several commits. */
async function fill(command: Started, { submitted }: Known): Promise<void> {
  const subjects = Array.from({ length: 1600 }, (_, n) => `smtp ${n}`)
  for (let at = 0; at < subjects.length; at += 50) {
    const imports = subjects.slice(at, at + 50).map(async (subject) => {
      const body = `From: a@acme.test\r\nTo: b@example.com\r\nSubject: ${subject}\r\n\r\nText`
      const headers = { 'content-type': 'message/rfc822' }
      const response = await fetch(`${command.url}/dev/inbox/import`, { method: 'POST', body, headers })
      expect(response.status).toBe(200)
      submitted.add(subject)
    })
    await Promise.all(imports)
  }
}

async function check(command: Started, { submitted, tagged, deleted }: Known): Promise<void> {
  const emails: MailSummary[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { emails: MailSummary[]; cursor: string | null } = await call(
      command,
      'GET',
      `?limit=500&cursor=${cursor}`,
    )
    emails.push(...page.emails)
    cursor = page.cursor
  }
  const found = new Set(emails.map(({ subject }) => subject))
  for (const subject of submitted) expect(found.has(subject), subject).toBe(true)
  for (const subject of deleted) expect(found.has(subject), subject).toBe(false)
  expect(found.size).toBe(emails.length)
  expect(emails.every(({ tags }) => tags.length <= 1)).toBe(true)
  // The change after it may have been cut off.
  const wanted = [`t${tagged.number}`, `t${tagged.number + 1}`]
  const changed = emails.filter(
    ({ subject, tags }) => subject.startsWith('smtp ') && wanted.includes(tags[0] ?? ''),
  )
  expect(changed.length).toBeGreaterThanOrEqual(tagged.mails)
}

async function call<T>(command: Started, method: string, search: string, body?: object): Promise<T> {
  const response = await fetch(`${command.url}/dev/inbox${search}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  if (!response.ok) throw new Error(`${method} is answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
