import { parseAddresses } from '../../mime/headers/addresses.ts'
import type { ShapedEvent } from '../../webhooks/shape.ts'
import { bareIdOf, isOurId, mailgun } from './conventions.ts'
import { domainOf, kindOf } from './event-data.ts'
import type { MailgunEventFilters } from './event-schema.ts'

/** Makes the test of an event of a domain. */
export function toEventFilter(domain: string, given: MailgunEventFilters): (event: ShapedEvent) => boolean {
  const tests = Object.entries(given).map(([name, value]): ((event: ShapedEvent) => boolean) => {
    const matches = toTest(value)
    // The schema of the filters is strict, so there are no other names.
    const valuesOf = valuesByName[name as keyof MailgunEventFilters]
    return (event) => matches(valuesOf(event).map((one) => one.toLowerCase()))
  })
  return (event) => isOfDomain(event, domain) && tests.every((test) => test(event))
}

/** Whether an email was sent by a domain: that of the id that it got here. An id of the request may be of any domain. */
function isOfDomain({ email }: ShapedEvent, domain: string): boolean {
  const { provider, envelope, from } = email
  const id = provider?.name === mailgun ? bareIdOf(email) : null
  if (id !== null && domainOf(id) === domain) return true
  if (id !== null && isOurId(id)) return false
  const senders = [envelope.mail_from, ...parseAddresses(from).map(({ address }) => address)]
  return senders.some((sender) => domainOf(sender) === domain)
}

/** What an event has to compare with each filter. */
const valuesByName: Readonly<Record<keyof MailgunEventFilters, (event: ShapedEvent) => string[]>> = {
  event: ({ event }) => [kindOf(event).event],
  severity: ({ event }) => [kindOf(event).severity ?? ''],
  recipient: ({ recipient }) => [recipient],
  to: ({ email }) => email.to,
  from: ({ email }) => [email.from, email.envelope.mail_from],
  subject: ({ email }) => [email.subject],
  tags: ({ email }) => email.tags,
  'message-id': ({ email }) => [bareIdOf(email)],
}

/** Reads `a`, `"a b" OR c`, `a AND NOT b`: OR binds weakest. A term is a part of a value, in any case. */
function toTest(expression: string): (values: readonly string[]) => boolean {
  const alternatives = expression.split(' OR ').map((alternative) =>
    alternative.split(' AND ').map((written) => {
      const term = written.trim()
      const isNot = term.startsWith('NOT ')
      const text = (isNot ? term.slice(4).trim() : term).replace(/^"(.*)"$/s, '$1').toLowerCase()
      return { isNot, text: text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text }
    }),
  )
  return (values) =>
    alternatives.some((terms) =>
      terms.every(({ isNot, text }) => values.some((value) => value.includes(text)) !== isNot),
    )
}
