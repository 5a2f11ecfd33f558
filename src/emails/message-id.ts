import type { EmailRecord } from './email.ts'

/**
 * The Message-ID of an email that was sent here, with its angle brackets, also before its message is written: the same at every
 * try. It is the id that the answer of a provider gave, where that has the form of a Message-ID.
 */
export function messageIdOf({
  id,
  envelope,
  provider,
}: Pick<EmailRecord, 'id' | 'envelope' | 'provider'>): string {
  const given = provider?.message_id ?? ''
  if (isMessageId(given)) return given
  return `<${id}@${envelope.mail_from.slice(envelope.mail_from.lastIndexOf('@') + 1)}>`
}

/** Whether a text can be the value of Message-ID. @see RFC 5322 section 3.6.4 */
export function isMessageId(text: string): boolean {
  return /^<[!-;=?A-~]{1,200}@[!-;=?A-~]{1,200}>$/.test(text)
}
