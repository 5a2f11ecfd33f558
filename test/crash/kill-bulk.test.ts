import { expect, it } from 'vitest'
import type { MailSummary } from '../../src/inbox/types.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startCommand, type Started } from '../cli/command.ts'
import { roundsOf, sampleOf } from '../support/long.ts'
import { load } from './load.ts'

/** `LOCALPOST_KILLS=200` is the long variant. */
const rounds = Math.ceil(roundsOf('LOCALPOST_KILLS', { short: 8, long: 20 }) / 4)

/** How many mails of a life may be unknown here, or in another order than they were acknowledged. */
const unordered = 60
/** The limit of `--max-emails`: after the last kill, many mails must still be there. */
const limit = 1500 + unordered * rounds

/** The known state of the changes so far. */
interface Known {
  /** The subjects of acknowledged submissions, in order. Only `--max-emails` deletes them. */
  submitted: Set<string>
  /** How many mails were acknowledged before each of them. */
  before: Map<string, number>
  /** How many mails were acknowledged. */
  accepted: number
  /** The number of the last acknowledged change of tags, and how many submissions there were when it began. */
  tagged: { number: number; mails: number }
  /** The subjects of API sends that an acknowledged change deleted. */
  deleted: Set<string>
}

const ways = [
  { retention: 'while --max-emails deletes the oldest', flags: [`--max-emails=${limit}`], most: limit },
  { retention: 'without retention', flags: [], most: Infinity },
]

it.each(sampleOf(ways, 1))(
  `changes of many mails survive ${rounds} kills under load once acknowledged, and leave each mail whole, $retention`,
  async ({ flags, most }) => {
    const cwd = temporaryFolder()
    const known: Known = {
      submitted: new Set(),
      before: new Map(),
      accepted: 0,
      tagged: { number: 0, mails: 0 },
      deleted: new Set(),
    }
    let number = 0
    let changes = 0
    for (let round = 1; round <= rounds; round++) {
      const command = await startCommand(flags, { cwd })
      if (round === 1) await fill(command, known)
      await check(command, known, most - unordered * round)
      const { acknowledged, times, ended } = load(command)
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
      for (const subject of times.keys()) known.before.set(subject, known.accepted++)
    }
    const command = await startCommand(flags, { cwd })
    await check(command, known, most - unordered * (rounds + 1))
    command.signal('SIGTERM')
    await command.ended
    console.log(
      `${rounds} kills: ${changes} changes of up to ${known.submitted.size} mails, none lost or torn`,
    )
  },
  60_000 + rounds * 20_000,
)

/** Imports so many mails that each change takes several commits. */
async function fill(command: Started, known: Known): Promise<void> {
  const subjects = Array.from({ length: limit + 100 }, (_, n) => `smtp ${n}`)
  for (let at = 0; at < subjects.length; at += 50) {
    const imports = subjects.slice(at, at + 50).map(async (subject) => {
      const body = `From: a@acme.test\r\nTo: b@example.com\r\nSubject: ${subject}\r\n\r\nText`
      const headers = { 'content-type': 'message/rfc822' }
      const response = await fetch(`${command.url}/dev/inbox/import`, { method: 'POST', body, headers })
      expect(response.status).toBe(200)
      known.submitted.add(subject)
      known.before.set(subject, known.accepted++)
    })
    await Promise.all(imports)
  }
}

/** @param kept  How many of the newest mails must be there. */
async function check(
  command: Started,
  { submitted, before, accepted, tagged, deleted }: Known,
  kept: number,
): Promise<void> {
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
  const wantedSubjects = new Set(
    [...submitted].filter((subject) => accepted - (before.get(subject) ?? 0) <= kept),
  )
  for (const subject of wantedSubjects) expect(found.has(subject), subject).toBe(true)
  for (const subject of deleted) expect(found.has(subject), subject).toBe(false)
  expect(found.size).toBe(emails.length)
  expect(emails.every(({ tags }) => tags.length <= 1)).toBe(true)
  // The change after it may have been cut off.
  const wanted = [`t${tagged.number}`, `t${tagged.number + 1}`]
  const changed = emails.filter(
    ({ subject, tags }) => subject.startsWith('smtp ') && wanted.includes(tags[0] ?? ''),
  )
  const mustHave = [...submitted].slice(0, tagged.mails).filter((subject) => wantedSubjects.has(subject))
  expect(changed.length).toBeGreaterThanOrEqual(mustHave.length)
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
