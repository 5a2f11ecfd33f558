import type { EmailRecord } from '../emails/email.ts'
import { maxFieldLength } from '../emails/header-facts.ts'
import { initialTags } from '../emails/tags.ts'
import { foldSpace } from '../mime/fold-space.ts'
import type { ParsedFacts } from '../mime/parse.ts'

/** The differences between the record of a mail and its message, as sentences. There are some only where a limit was exceeded. */
export function recordProblems(email: EmailRecord, message: ParsedFacts | null): (string | null)[] {
  // An API send has no X-Tags field that counts, and is refused where it exceeds a limit.
  if (email.source !== 'smtp' || !message) return [initialTags(email.envelope.rcpt_to).problem]
  const valueOf = (name: string): string =>
    message.headers.find(([written]) => written.toLowerCase() === name)?.[1] ?? ''
  const cut = ['From', 'Reply-To', 'Subject', 'Message-ID'].filter(
    (name) => foldSpace(valueOf(name.toLowerCase())).length > maxFieldLength,
  )
  if ([...message.to, ...message.cc].some(({ address }) => address.length > maxFieldLength))
    cut.push('A recipient')
  return [
    cut.length === 0
      ? null
      : `More than ${maxFieldLength} characters, of which the list and searches have the beginning: ${cut.join(', ')}.`,
    initialTags(email.envelope.rcpt_to, valueOf('x-tags')).problem,
  ]
}
