import type { ShapedEvent } from '../../webhooks/shape.ts'
import { domainOf, kindOf } from './event-data.ts'
import type { MailgunEventFilters } from './types.ts'
import { bareIdOf, mailgun } from './words.ts'

/** Makes the test of an event of a domain. */
export function toFilter(domain: string, given: MailgunEventFilters): (event: ShapedEvent) => boolean {
  const tests = Object.entries(given).map(([name, value]): ((event: ShapedEvent) => boolean) => {
    const matches = toTest(value)
    const valuesOf = values[name as keyof MailgunEventFilters]
    return (event) => matches(valuesOf(event).map((one) => one.toLowerCase()))
  })
  return (event) => isOfDomain(event, domain) && tests.every((test) => test(event))
}

/** The domain that an email was sent by: that of the id, or of its sender. */
function isOfDomain({ email }: ShapedEvent, domain: string): boolean {
  const isMailgun = email.provider?.name === mailgun
  return domainOf(isMailgun ? bareIdOf(email) : email.envelope.mail_from) === domain
}

const values: Readonly<Record<keyof MailgunEventFilters, (event: ShapedEvent) => string[]>> = {
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
