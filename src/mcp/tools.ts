import { z } from 'zod'
import { isErrorOf, validationError } from '../core/errors.ts'
import { isId } from '../core/ids.ts'
import { addedEventSchema } from '../emails/simulate-schema.ts'
import type { Selection } from '../inbox/bulk.ts'
import { replyMembers } from '../inbox/reply-schema.ts'
import { dateForms, readDate } from '../search/query-values.ts'
import { mailPartText, toCard, toListed } from './mail-text.ts'
import { type Tool, tool } from './tool.ts'
import { waitForMail } from './wait-for.ts'

const id = z.string().max(100).describe('The id of a mail: em_…')
const to = z.string().min(1).max(320).describe('A recipient: an address, or a part of one')
const query = z
  .string()
  .max(2000)
  .describe(
    'A search: words, "phrases", from:, to:, subject:, body:, tag:, is:unread, has:attachment, after:2h, before:2026-01-31',
  )
const since = z.string().max(100).describe(`The id of a mail, ${dateForms}`)

/** The longest wait of one call: clients give up on calls that take longer. */
const maxWaitSeconds = 45
const maxListed = 50
const maxLinks = 100
const maxFindings = 100
const maxTextChars = 20_000

/** All tools, in the order in which clients list them. */
export const tools: readonly Tool[] = [
  tool({
    name: 'search_mails',
    title: 'Search mails',
    description: 'Lists captured mails, newest first: id, addresses, subject and the beginning of the text.',
    needsFull: false,
    input: z.strictObject({
      query: query.optional(),
      limit: z.int().min(1).max(maxListed).optional().describe('Default: 10'),
      cursor: z.string().max(320).optional().describe('The cursor of the previous page'),
    }),
    async run({ inbox }, { limit = 10, ...asked }, { signal }) {
      const { items, count, cursor, unread_texts, cut_texts } = await inbox.list({ ...asked, limit, signal })
      return {
        count,
        cursor,
        mails: items.map(toListed),
        // A search that may miss mails says so.
        unread_texts,
        cut_texts,
      }
    },
  }),
  tool({
    name: 'wait_for_mail',
    title: 'Wait for a mail',
    description:
      'Returns the newest mail that matches, or waits for the next one. With its codes, its links and the beginning of its text. If found is false, call it again. Pass after to leave out earlier mail.',
    needsFull: false,
    input: z.strictObject({
      to: to.optional(),
      query: query.optional(),
      after: since.optional(),
      timeout_seconds: z.number().min(0).max(maxWaitSeconds).optional().describe('Default: 30'),
    }),
    async run({ inbox, now }, { after, timeout_seconds = 30, ...wanted }, { signal }) {
      const begin = momentOf('after', after, now())
      const options = { timeoutMs: timeout_seconds * 1000, signal, ...(begin && { after: begin }) }
      try {
        return { found: true, mail: toCard(await waitForMail(inbox, wanted, options)) }
      } catch (error) {
        if (!isErrorOf(error, 'wait_timeout')) throw error
        return {
          found: false,
          next: 'Call wait_for_mail again, or explain_missing_mail.',
          why: error.message,
        }
      }
    },
  }),
  tool({
    name: 'get_mail',
    title: 'Read a mail',
    description:
      'One mail: its text (or what its HTML shows), header fields or HTML source, in pieces of at most 20,000 characters. Attachments are listed, without their content.',
    needsFull: false,
    input: z.strictObject({
      id,
      part: z.enum(['text', 'html', 'headers']).optional().describe('Default: text'),
      offset: z.int().min(0).optional().describe('From which character on. Default: 0'),
      max_chars: z.int().min(1).max(maxTextChars).optional().describe('Default: 8,000'),
    }),
    async run({ inbox }, { id, part = 'text', offset = 0, max_chars = 8000 }, { signal }) {
      const mail = await inbox.read(id, { signal })
      const whole = mailPartText(mail, part)
      const end = offset + max_chars
      return {
        ...toCard(mail, { textChars: 0 }),
        part,
        content: whole.slice(offset, end),
        total_chars: whole.length,
        next_offset: end < whole.length ? end : null,
      }
    },
  }),
  tool({
    name: 'get_codes_and_links',
    title: 'Codes and links of a mail',
    description: 'The one-time codes and the links of one mail, in order of appearance.',
    needsFull: false,
    input: z.strictObject({ id }),
    async run({ inbox }, { id }, { signal }) {
      const { codes, more_codes, links, more_links } = toCard(await inbox.read(id, { signal }), {
        textChars: 0,
        maxLinks,
      })
      return { id, codes, more_codes, links, more_links }
    },
  }),
  tool({
    name: 'explain_missing_mail',
    title: 'Explain a missing mail',
    description:
      'Why there is no mail for a recipient: refused requests and SMTP sessions, rules, faults, suppression, scheduled mail. The likeliest cause first, with what to do.',
    needsFull: false,
    input: z.strictObject({ to: to.optional(), since: since.optional().describe('Default: an hour ago') }),
    run: ({ inbox, now }, { to, since }, { signal, seesAccounts }) =>
      inbox.missing.explain({ to, since: momentOf('since', since, now()), signal }, { seesAccounts }),
  }),
  tool({
    name: 'check_mail',
    title: 'Check a mail',
    description:
      'Findings about one mail: links, accessibility, deliverability, support by mail clients. Nothing is fetched.',
    needsFull: false,
    input: z.strictObject({ id }),
    async run({ inbox }, { id }, { signal }) {
      const { findings } = await inbox.check(id, { signal })
      return { id, count: findings.length, findings: findings.slice(0, maxFindings) }
    },
  }),
  tool({
    name: 'send_test_mail',
    title: 'Send a test mail',
    description:
      'Sends a mail through Localpost, which captures it. Nothing leaves the machine unless a relay is on.',
    needsFull: true,
    input: z.strictObject({
      from: z.string().min(1).max(1000),
      to: z.string().min(1).max(1000),
      subject: z.string().max(1000),
      text: z.string().max(200_000).optional(),
      html: z.string().max(200_000).optional(),
    }),
    run: ({ emails }, request) => emails.accept(request),
  }),
  tool({
    name: 'simulate_event',
    title: 'Simulate an event',
    description:
      'Adds an event to a recipient of a mail, as if it had happened: a bounce, a complaint, an opening, a click.',
    needsFull: true,
    input: z.strictObject({ id, event: addedEventSchema }),
    run: ({ emails }, { id, event }) => emails.addEvent(id, event),
  }),
  tool({
    name: 'reply',
    title: 'Answer a mail',
    description:
      'Answers a mail as its recipient, to Reply-To or From, in the same conversation. Give text, html or both. A mail that was sent automatically is refused without force. The answer arrives in the inbox; nothing is sent.',
    needsFull: true,
    input: z.strictObject({
      id,
      from: replyMembers.from,
      text: replyMembers.text,
      html: replyMembers.html,
      quote: replyMembers.quote,
      force: replyMembers.force,
    }),
    run: ({ inbox }, { id, ...request }, { signal }) => inbox.reply(id, request, { signal }),
  }),
  tool({
    name: 'delete_mails',
    title: 'Delete mails',
    description:
      'Removes mails for ever: those with the given ids, the matches of a query, or all. Give exactly one.',
    needsFull: true,
    isDestructive: true,
    input: z.strictObject({
      ids: z.array(id).min(1).max(500).optional(),
      query: query.optional(),
      all: z.literal(true).optional(),
    }),
    async run({ inbox }, given) {
      // Without the signal: a removal that has begun goes on, also if the client leaves.
      const { count, isCancelled } = await inbox.bulk.remove(selectionOf(given))
      return { deleted: count, cancelled: isCancelled }
    },
  }),
]

/** @throws validation_error, so that no mail is removed that was not named. */
function selectionOf({ ids, query, all }: { ids?: string[]; query?: string; all?: true }): Selection {
  const named = [ids, query?.trim() || undefined, all].filter((one) => one !== undefined)
  if (named.length !== 1)
    throw validationError([{ field: 'query', message: 'must be given, or ids, or all: exactly one of them' }])
  if (ids) return { ids }
  return all ? null : (query ?? '')
}

/** @throws validation_error. */
function momentOf(field: string, text: string | undefined, now: number): Date | string | undefined {
  if (text === undefined || isId('em', text)) return text
  const time = readDate(text, now)
  if (time !== null) return new Date(time)
  throw validationError([{ field, message: `must be the id of a mail, ${dateForms}` }])
}
