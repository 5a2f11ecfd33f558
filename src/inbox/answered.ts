import { cutText, foldSpace } from '../core/text.ts'
import { withoutReplyPrefix } from '../emails/conversation.ts'
import { normalizeAddress, toMailbox } from '../mime/headers/addresses.ts'
import { readHeader } from '../mime/headers/headers.ts'
import { quoteMail } from './quoted.ts'

/** What the header of a mail says about answers to it. */
export interface Answered {
  /**
   * Where they go, one mailbox each: the first 1,000 addresses of Reply-To, or else of From; `[]` if none of them can
   * be used.
   */
  to: string[]
  /** The fields In-Reply-To and References of an answer; without those that the mail gives no id for. */
  fields: Record<string, string>
  /** The value of Auto-Submitted if the mail was sent automatically, else null. @see RFC 3834 section 5 */
  auto_submitted: string | null
}

/**
 * Reads the header of a mail that is answered.
 *
 * @param bytes  The message, or at least its header.
 * @see RFC 5322 section 3.6.4 for In-Reply-To and References
 */
export function readAnswered(bytes: Uint8Array): Answered {
  const block = readHeader(bytes)
  const mailboxesOf = (name: string): string[] =>
    block.addresses(name).flatMap(({ name: shown, address }) => {
      const checked = normalizeAddress(address)
      return 'problem' in checked ? [] : [toMailbox(cutText(foldSpace(shown), maxShown), checked.address)]
    })
  const replyTo = mailboxesOf('reply-to')
  const [id] = idsIn(block.decoded('message-id'))
  const inReplyTo = idsIn(block.decoded('in-reply-to'))
  const listed = idsIn(block.decoded('references'))
  // With several ids in In-Reply-To it is not known which is the parent (RFC 5322).
  const onlyParent = inReplyTo.length === 1 ? inReplyTo : []
  const earlier = new Set(listed.length > 0 ? listed : onlyParent)
  // Its own id is the last one, wherever it was listed.
  if (id !== undefined) earlier.delete(id)
  const references = id === undefined ? [...earlier] : [...earlier, id]
  const value = foldSpace(block.decoded('auto-submitted'))
  return {
    to: replyTo.length > 0 ? replyTo : mailboxesOf('from'),
    fields: {
      ...(id !== undefined && { 'In-Reply-To': id }),
      ...(references.length > 0 && { References: bounded(references).join(' ') }),
    },
    auto_submitted: value === '' || /^no(?:[ ;(]|$)/i.test(value) ? null : cutText(value, maxShown),
  }
}

/** The subject of an answer: `Re: ` once, in place of what other programs and languages write. */
export function answerSubject(subject: string): string {
  return `Re: ${cutText(withoutReplyPrefix(foldSpace(subject)), maxSubject)}`.trim()
}

/** Reading the header of a mail that is answered, and quoting the mail, as work of the thread. */
export const answerJobs: { answered: typeof readAnswered; quoted: typeof quoteMail } = {
  answered: readAnswered,
  quoted: quoteMail,
}

/** The first id, which names the conversation, and the last ones: a conversation may go on for ever. */
const bounded = (ids: readonly string[]): string[] =>
  ids.length > maxReferences ? [...ids.slice(0, 1), ...ids.slice(1 - maxReferences)] : [...ids]

/** The message ids of a field, with their angle brackets; other text is left out. */
const idsIn = (value: string): string[] => value.match(/<[!-;=?-~]{1,400}>/g) ?? []

/** In characters. */
const maxShown = 200
/** In characters: less than a subject may have, in any script. */
const maxSubject = 1000
const maxReferences = 20
