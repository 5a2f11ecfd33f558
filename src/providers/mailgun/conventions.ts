import { LocalpostError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import type { EmailRecord } from '../../emails/email.ts'
import { messageIdOf } from '../../emails/message-id.ts'

/** The name of this provider. */
export const mailgun = 'mailgun'

/** The metadata of an email that was sent with `o:testmode`. */
export const testModeTag = 'o:testmode'

/** The id of an email as Mailgun answers it, which is also its Message-ID. @param uuid  A random one. */
export function toMessageId(uuid: string, domain: string): string {
  return `<${uuid.replaceAll('-', '')}@${domain.toLowerCase()}>`
}

/** Whether an id, without its angle brackets, is one that this service made. */
export const isOurId = (bareId: string): boolean => /^[\da-f]{32}@/.test(bareId)

/** The same id of any email, without its angle brackets, as events have it. */
export function bareIdOf(email: EmailRecord): string {
  const { provider, message } = email
  const id = provider?.name === mailgun ? provider.message_id : message?.message_id || messageIdOf(email)
  return id.replace(/^<(.*)>$/s, '$1')
}

/** The domain of a path. It need not be registered. @throws not_found for a text that is not a domain. */
export function readDomain(name: string): string {
  if (name.length <= 253 && domainForm.test(name)) return name.toLowerCase()
  throw new LocalpostError('not_found', `Domain not found: ${quote(name)}`)
}

const domainForm = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.){1,10}[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i

/** A time as the lists of Mailgun write it: RFC 2822 in UTC. */
export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toUTCString().replace(/GMT$/, 'UTC')
}

/** Separates name and tag in the id of a version: `<name>.v.<tag>`. */
export const versionMark = '.v.'

/** The id of the template of ours that is a version. */
export function versionId(name: string, tag: string): string {
  return `${name.toLowerCase()}${versionMark}${tag}`
}
