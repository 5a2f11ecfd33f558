import type { Mail, MailSummary } from '../inbox/types.ts'
import type { MailQueryMembers } from '../search/query-members.ts'
import { contains } from '../search/query-fits.ts'
import { assertExpectation, type MemberKind } from './expectation.ts'
import { createMailReader, type MailReader } from './mail-reader.ts'
import { defaultTimeoutMs, type Inspected } from './received.ts'
import { differenceOf, sayExpectation, type Outcome, type Sense, type TextPattern } from './outcome.ts'
import { poll } from './poll.ts'
import {
  isRuledOut,
  mailMemberKinds,
  mailMembersThatDiffer,
  needsDetail,
  shownMember,
  takeWantedMail,
  type WantedMail,
} from './wanted-mail.ts'

/**
 * A mail that should have been sent; every given member must match. The members of a query mean the same as in a
 * search, except that `text` and `body` search the whole text.
 */
export interface SentExpectation extends MailQueryMembers {
  /** A part of the HTML in any case, or a pattern. */
  html?: TextPattern
  /** The exact number of mails. Default: at least one. */
  count?: number
  /**
   * How long it may take, in milliseconds of the machine's clock. Default: `waitTimeoutMs` of the instance. For a
   * negated assertion, how long no mail may arrive; default: 0, which checks only the existing mail.
   */
  timeoutMs?: number
}

/**
 * Checks whether mail was accepted, through the API or SMTP; without waiting for its delivery. The check ends when
 * `count` is reached, so a mail that arrives later is not noticed.
 */
export async function checkSent(
  post: Inspected,
  expectation: SentExpectation = {},
  { isNot }: Sense = { isNot: false },
): Promise<Outcome> {
  assertExpectation(expectation, memberKinds, 'What should have been sent')
  const { mail, rest } = takeWantedMail(expectation, 'What should have been sent')
  const { count, timeoutMs = isNot ? 0 : defaultTimeoutMs(post), html } = rest
  const wanted: Wanted = html === undefined ? mail : { ...mail, html }
  const reader = createMailReader(post)
  const isRight = ({ matches }: FoundMails): boolean =>
    count === undefined ? matches.length > 0 : matches.length === count
  const found = await poll(() => findMails(reader, wanted), isRight, timeoutMs)
  const pass = isRight(found)
  return {
    pass,
    message: () => say(found, { wanted, count }, { pass, timeoutMs }),
    ...(pass || isNot ? {} : await differenceFrom(found, { count, wanted }, reader)),
  }
}

type Wanted = WantedMail & Pick<SentExpectation, 'html'>

/** All mails of an inbox, and those that were wanted; both newest first. */
export interface FoundMails {
  all: MailSummary[]
  matches: MailSummary[]
}

/** Looks for mails. Reads only those that their list entry cannot decide. */
export async function findMails(reader: MailReader, wanted: Wanted): Promise<FoundMails> {
  const all = await reader.summaries()
  const matches: MailSummary[] = []
  for (const summary of all) {
    if (isRuledOut(summary, wanted)) continue
    const isEnough = wanted.html === undefined && !needsDetail(summary, wanted)
    const mail = isEnough ? summary : await reader.read(summary.id)
    if (mail && membersThatDiffer(mail, wanted).length === 0) matches.push(summary)
  }
  return { all, matches }
}

function membersThatDiffer(mail: MailSummary | Mail, { html, ...wanted }: Wanted): (keyof Wanted)[] {
  const differing: (keyof Wanted)[] = mailMembersThatDiffer(mail, wanted)
  if (html !== undefined && !('html' in mail && contains(mail.html, html))) differing.push('html')
  return differing
}

/** The nearest mail and the expectation, member by member, for the diff of the failed test. */
async function differenceFrom(
  { all, matches }: FoundMails,
  { count, wanted }: { count: number | undefined; wanted: Wanted },
  reader: MailReader,
): Promise<Pick<Outcome, 'actual' | 'expected'>> {
  if (count !== undefined && (matches.length > 0 || all.length === 0))
    return { actual: { ...wanted, count: matches.length }, expected: { ...wanted, count } }
  const [nearest] = await nearestOf(all, wanted, reader)
  if (!nearest) return {}
  return differenceOf(wanted, nearest.differing, (name) => shownMember(nearest.mail, name))
}

const memberKinds = {
  ...mailMemberKinds,
  html: 'pattern',
  count: 'count',
  timeoutMs: 'milliseconds',
} as const satisfies Record<keyof SentExpectation, MemberKind>

async function nearestOf(
  all: MailSummary[],
  wanted: Wanted,
  reader: MailReader,
): Promise<{ mail: Mail; differing: (keyof Wanted)[] }[]> {
  const read = await Promise.all(all.slice(0, nearestAmong).map(({ id }) => reader.read(id)))
  return read
    .flatMap((mail) => (mail ? [{ mail, differing: membersThatDiffer(mail, wanted) }] : []))
    .sort((one, other) => one.differing.length - other.differing.length)
}

// The newest ones, because a test expects a mail that arrived just now.
const nearestAmong = 50

function say(
  { all, matches }: FoundMails,
  { wanted, count }: { wanted: Wanted; count: number | undefined },
  { pass, timeoutMs }: { pass: boolean; timeoutMs: number },
): string {
  const what = `mail ${sayExpectation(wanted)}`
  if (pass) {
    return `Expected ${count === undefined ? 'no' : `other than ${count}`} ${what}, but ${plural(matches.length)} sent:\n${listMails(matches)}`
  }
  const within = timeoutMs > 0 ? ` within ${timeoutMs} ms` : ''
  const number = count === undefined ? '' : `${count} times `
  if (all.length === 0)
    return `Expected ${what} ${number}to have been sent${within}, but no mail was sent at all.`
  const had =
    matches.length > 0
      ? `${plural(matches.length)} sent:\n${listMails(matches)}`
      : `none of ${all.length} fits.`
  const others = matches.length > 0 ? '' : `\nThe newest:\n${listMails(all)}`
  return `Expected ${what} ${number}to have been sent${within}, but ${had}${others}`
}

const plural = (count: number): string => (count === 1 ? 'one was' : `${count} were`)

/** The first few mails, a line each. */
export function listMails(mails: readonly MailSummary[]): string {
  const lines = mails
    .slice(0, maxListed)
    .map(
      ({ id, from, to, subject }) =>
        `  ${id} from ${JSON.stringify(from)} to ${JSON.stringify(to.join(', '))}, subject ${JSON.stringify(subject)}`,
    )
  if (mails.length > maxListed) lines.push(`  and ${mails.length - maxListed} more`)
  return lines.join('\n')
}

const maxListed = 5
