import { createHash } from 'node:crypto'
import type { EmailRecord } from '../../emails/email.ts'

/** The name of this provider. */
export const postmark = 'postmark'

/** The only server of an account, in the words of Postmark. */
export const serverId = 1

/** The stream of an email whose request names none. */
export const defaultStream = 'outbound' as const

/**
 * The metadata keeps the stream, which an email has no member for, and the tag: tags in the inbox are cut, and people
 * change them.
 */
const kept = { tag: 'postmark:tag', stream: 'postmark:stream' } as const

/** Whether metadata of this name is not from the request. */
export const isKept = (name: string): boolean => Object.values<string>(kept).includes(name)

/** The metadata of an email, with its tag and its stream. */
export function withKept(
  metadata: Readonly<Record<string, string>>,
  { tag, stream }: { tag: string | undefined; stream: string | undefined },
): Record<string, string> | undefined {
  const all = {
    ...metadata,
    ...(tag !== undefined && { [kept.tag]: tag }),
    ...(stream !== undefined && stream !== defaultStream && { [kept.stream]: stream }),
  }
  return Object.keys(all).length > 0 ? all : undefined
}

/** What answers and events say of an email. */
interface Labels {
  Tag: string
  MessageStream: string
  Metadata: Record<string, string>
}

/** The labels of an email; one that came by another interface has its first tag in the inbox. */
export function labelsOf({ metadata = {}, tags }: Pick<EmailRecord, 'metadata' | 'tags'>): Labels {
  const { [kept.tag]: tag = tags[0] ?? '', [kept.stream]: stream = defaultStream, ...Metadata } = metadata
  return { Tag: tag, MessageStream: stream, Metadata }
}

/** A time as Postmark writes it. */
export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** A positive number of 48 bits for a text, for ids that are numbers in Postmark. */
export function toNumber(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
}
