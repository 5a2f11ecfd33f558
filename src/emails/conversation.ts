/** What the header of a message says of the conversation that it belongs to. */
interface ConversationFields {
  references: string
  inReplyTo: string
  /** The value of Message-ID, which is no other message; absent where the message has none yet. */
  messageId?: string
}

/**
 * The key of the conversation that a message answers in; undefined if its header names no other message. The first message
 * of References began the conversation; where only In-Reply-To names one, the conversation begins with that.
 *
 * An answer to an answer that has only In-Reply-To gets another key than that one.
 *
 * @param fields  The values of the fields, of any length.
 * @see RFC 5322 section 3.6.4
 */
export function answeredConversation({
  references,
  inReplyTo,
  messageId = '',
}: ConversationFields): string | undefined {
  // Most messages have neither.
  if (references === '' && inReplyTo === '') return undefined
  const own = firstId(messageId)
  const first = [firstId(references), firstId(inReplyTo)].find((id) => id !== '' && id !== own)
  return first === undefined ? undefined : conversationKey(first)
}

/**
 * The key of the conversation that a message begins.
 *
 * @param messageId  As in the field, with its angle brackets; `""` if there is none.
 * @returns The same as {@link answeredConversation} for the answers; undefined without an id.
 */
export function begunConversation(messageId: string): string | undefined {
  const id = firstId(messageId) || messageId.trim().slice(0, longestId)
  return id === '' ? undefined : conversationKey(id)
}

/** A subject without `Re:` at its beginning, and without what other programs and languages write in its place. */
export function withoutReplyPrefix(subject: string): string {
  const text = subject.trim()
  let start = 0
  // One prefix at a time: an expression for all of them would need a stack as long as the text.
  for (replyPrefix.lastIndex = 0; replyPrefix.test(text);) start = replyPrefix.lastIndex
  return text.slice(start)
}

const replyPrefix = /(?:re|aw|antw|sv|vs|odp|rif)(?:\[\d{1,4}\])?:\s{0,20}/iy

/** The first id in angle brackets, without these; `""` if there is none. The field may have other text before it. */
function firstId(value: string): string {
  const start = value.indexOf('<') + 1
  const end = start === 0 ? -1 : value.indexOf('>', start)
  return end === -1 ? '' : value.slice(start, Math.min(end, start + longestId)).trim()
}

/** A line of a header has at most 998 characters. */
const longestId = 998

/**
 * A short text that is the same for the same id: 64 bits, by FNV-1a in two halves that start from different values. The
 * page in the browser uses this file, so it cannot use `node:crypto`; and the keys are stored, so they stay as they are.
 */
function conversationKey(id: string): string {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit ^ (low >>> 16), 0x01000193)
  }
  return half(high) + half(low)
}

const half = (bits: number): string => (bits >>> 0).toString(36).padStart(7, '0')
