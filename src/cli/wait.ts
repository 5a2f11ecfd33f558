import { z } from 'zod'
import { parseDuration } from '../core/duration.ts'
import { invalidOption, isErrorOf } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { isId, lowestId } from '../core/ids.ts'
import { monotonicNow } from '../core/machine.ts'
import { excludingTerm, waitForWanted } from '../search/wait-for-wanted.ts'
import { contains, recipientTest } from '../search/query-fits.ts'
import { dateForms, readDate } from '../search/query-values.ts'
import type { Arguments } from './arguments.ts'
import type { Output } from './output.ts'
import { connect, readAnswer, type Remote } from './remote.ts'
import { quotedString } from '../core/text.ts'

/**
 * Runs `localpost wait`: waits for a mail of a running Localpost, and prints its id, a code or a link of it, or all of it.
 * A matching mail that lacks the code or the link does not end the wait.
 *
 * @returns The exit code: 0 if there was such a mail, 1 if the wait timed out.
 * @throws invalid_option for a wrong command line, request_failed if the server does not answer, else its error.
 */
export async function runWait(given: Arguments, output: Output): Promise<0 | 1> {
  const wait = readWait(given)
  const { query, valueOf } = wait
  const remote = await connect(given, process.env, output)
  const deadline = monotonicNow() + wait.timeoutMs
  const start = wait.start === 'newest' ? await newestId(remote) : wait.start?.id
  // `next` and `older` are described at `Matches` in search/wait-for-wanted.ts.
  const next = (excluded: readonly string[], from = start): Promise<WaitedMail> =>
    waitForNext(
      remote,
      `${excludingTerm(excluded)}${query}`,
      from,
      Math.max(0, Math.ceil(deadline - monotonicNow())),
    )
  const older = (below: string, from = start): AsyncIterable<WaitedMail> =>
    listOlder(remote, query, below, from)
  const takeOrReport = (mail: WaitedMail): boolean => {
    if (!wait.isTo(mail)) return false
    if (valueOf(mail) !== undefined) return true
    output.error(`${mail.id} ${quote(mail.subject)} has no such ${wait.kind}.`)
    return false
  }
  try {
    const mail = await waitForWanted({ next, older }, takeOrReport)
    // A mail without the value is not taken.
    output.log(valueOf(mail) ?? '')
    return 0
  } catch (error) {
    if (!isErrorOf(error, 'wait_timeout')) throw error
    output.error(error.message)
    return 1
  }
}

/** As long as an answer may take for the `fetch` of Node, which ends after five minutes. */
const maxTimeoutMs = 240_000
/** How much later than the timeout the answer may come, in milliseconds. */
const graceMs = 15_000

/** What a command line asks for. */
interface Wait extends PrintedValue {
  /** Whether a mail that the query finds is one to the recipient of `--to`. */
  readonly isTo: (mail: WaitedMail) => boolean
  /** The whole query, including `--to` and a time of `--after`. */
  readonly query: string
  /** The mail after which the wait begins; null if `query` names a time instead. */
  readonly start: { readonly id: string } | 'newest' | null
  readonly timeoutMs: number
}

/** What is printed of the mail. */
interface PrintedValue {
  readonly kind: 'id' | 'code' | 'link' | 'json'
  /** Undefined for a mail that lacks it. */
  readonly valueOf: (mail: WaitedMail) => string | undefined
}

function readWait({ flags, words }: Arguments): Wait {
  const { to, query = '', after, timeout = '30s' } = flags
  if (to === undefined && query === '')
    throw invalidOption('wait needs --to, --query, or both: localpost wait --to ada@example.com')
  const timeoutMs = parseDuration(timeout)
  if (timeoutMs === null || timeoutMs > maxTimeoutMs)
    throw invalidOption(`--timeout is ${quote(timeout)}; it takes a duration up to 4m, such as 500ms or 30s.`)
  const printed = readKind(flags, words)
  const isTime = after !== undefined && !isId('em', after)
  if (isTime && readDate(after, 0) === null)
    throw invalidOption(`--after is ${quote(after)}; it takes the id of a mail, ${dateForms}.`)
  const terms = [to && `to:${quotedString(to)}`, query, isTime && `after:${quotedString(after)}`]
  const isTo = to === undefined ? () => true : recipientTest(to)
  const start = after === undefined ? 'newest' : isTime ? null : { id: after }
  return { isTo, query: terms.filter(Boolean).join(' '), start, timeoutMs, ...printed }
}

function readKind(flags: Arguments['flags'], [pattern, ...more]: readonly string[]): PrintedValue {
  const chosen = (['code', 'link', 'json'] as const).filter((name) => flags[name] === 'true')
  const [kind = 'id'] = chosen
  if (chosen.length > 1) throw invalidOption(`Use one of --${chosen.join(' and --')}.`)
  if (more.length > 0 || (pattern !== undefined && kind !== 'link'))
    throw invalidOption(
      `Unexpected argument ${quote(more[0] ?? pattern)}: wait takes one, a part of the link, with --link.`,
    )
  const part = pattern ?? ''
  const values: Record<PrintedValue['kind'], PrintedValue['valueOf']> = {
    id: ({ id }) => id,
    code: ({ codes }) => codes[0],
    link: ({ links }) => links.find(({ href, text }) => contains(href, part) || contains(text, part))?.href,
    json: (mail) => JSON.stringify(mail, null, 2),
  }
  return { kind, valueOf: values[kind] }
}

/** The id of the newest mail, or one that sorts before all. */
async function newestId(remote: Remote): Promise<string> {
  const { emails } = await readAnswer(remote, listSchema, complaint, '/dev/inbox?limit=1')
  return emails[0]?.id ?? lowestId('em')
}

/** @param after  The id after which mail is looked for; undefined where the query says it. */
async function waitForNext(
  remote: Remote,
  query: string,
  after: string | undefined,
  timeoutMs: number,
): Promise<WaitedMail> {
  const wanted = new URLSearchParams({
    query,
    timeout_ms: String(timeoutMs),
    ...(after !== undefined && { after }),
  })
  const signal = AbortSignal.timeout(timeoutMs + graceMs)
  return readAnswer(remote, mailSchema, complaint, `/dev/inbox/wait?${wanted.toString()}`, { signal })
}

/** The existing matches below an id, newest first, down to the mail `after`. */
async function* listOlder(
  remote: Remote,
  query: string,
  below: string,
  after = '',
): AsyncGenerator<WaitedMail> {
  for (let cursor: string | null = below; cursor !== null;) {
    const wanted = new URLSearchParams({ query, cursor, limit: '500' })
    const path = `/dev/inbox?${wanted.toString()}`
    const page: z.output<typeof listSchema> = await readAnswer(remote, listSchema, complaint, path)
    for (const { id } of page.emails) {
      if (id <= after) return
      try {
        yield await readAnswer(remote, mailSchema, complaint, `/dev/inbox/${id}`)
      } catch (error) {
        // Removed meanwhile.
        if (!isErrorOf(error, 'not_found')) throw error
      }
    }
    cursor = page.cursor
  }
}

const complaint = 'is not a Localpost: it did not answer with mail.'

const listSchema = z.object({ emails: z.array(z.object({ id: z.string() })), cursor: z.string().nullable() })

type WaitedMail = z.output<typeof mailSchema>
const mailSchema = z.object({
  id: z.string(),
  subject: z.string(),
  to: z.array(z.string()),
  to_names: z.array(z.string()),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  envelope: z.object({ rcpt_to: z.array(z.string()) }),
  codes: z.array(z.string()),
  links: z.array(z.object({ href: z.string(), text: z.string() })),
})
