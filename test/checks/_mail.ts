import { extractLinks } from '../../src/reading/links.ts'
import type { CheckedMail } from '../../src/checks/check.ts'

/** A mail in which the checks find nothing, unless it is changed. */
export function mailWith(changes: Partial<CheckedMail> = {}): CheckedMail {
  const mail = { ...goodMail, ...changes }
  return { ...mail, links: changes.links ?? extractLinks(mail.html, mail.text) }
}

/** A mail with these header fields in place of those of the same name; null removes them. */
export function mailWithHeaders(
  fields: Readonly<Record<string, string | readonly string[] | null>>,
  changes: Partial<CheckedMail> = {},
): CheckedMail {
  const names = Object.keys(fields).map((name) => name.toLowerCase())
  const kept = goodMail.headers.filter(([name]) => !names.includes(name.toLowerCase()))
  const given = Object.entries(fields).flatMap(([name, value]) =>
    (value === null ? [] : [value].flat()).map((one) => [name, one] as const),
  )
  return mailWith({ headers: [...kept, ...given], ...changes })
}

/** The body of an HTML document in which the checks find nothing but its content. */
export function page(body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><title>Hello</title></head><body>${body}</body></html>`
}

const goodMail: Omit<CheckedMail, 'links'> = {
  type: 'transactional',
  source: 'api',
  size_bytes: 1000,
  received: Date.UTC(2026, 0, 5, 10),
  envelope: { mail_from: 'bounces@mail.acme.test' },
  subject: 'Hello',
  html: page('<p>Hello</p>'),
  text: 'Hello',
  headers: [
    ['From', 'Acme <hi@acme.test>'],
    ['To', 'ada@example.com'],
    ['Subject', 'Hello'],
    ['Date', 'Mon, 05 Jan 2026 10:00:00 +0000'],
    ['Message-ID', '<one@acme.test>'],
  ],
  attachments: [],
  dkim: { domain: 'acme.test', selector: 'localpost', result: 'pass', reason: null },
  list_unsubscribe: null,
  problem: null,
}
