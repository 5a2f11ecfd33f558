import { extractLinks } from '../../src/reading/links.ts'
import type { CheckedMail } from '../../src/checks/subject.ts'

/** A mail in which the checks find nothing, unless it is changed. */
export function mailWith(changes: Partial<CheckedMail> = {}): CheckedMail {
  const mail = { ...goodMail, ...changes }
  return { ...mail, links: changes.links ?? extractLinks(mail.html, mail.text) }
}

/** The body of an HTML document in which the checks find nothing but its content. */
export function page(body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><title>Hello</title></head><body>${body}</body></html>`
}

const goodMail: Omit<CheckedMail, 'links'> = {
  type: 'transactional',
  source: 'api',
  size_bytes: 1000,
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
