import type { CheckedMail } from '../../src/checks/subject.ts'
import type { MailCheckOptions } from '../../src/checks/options.ts'
import type { Severity } from '../../src/checks/types.ts'
import { mailWith, page } from './_mail.ts'

/** For each check the smallest mail in which it finds something, and one that is close and passes. */
export interface Example {
  fails: CheckedMail
  passes: CheckedMail
  /** The severity of what it finds. Default: that of its row. */
  severity?: Severity
  options?: MailCheckOptions
}

const html = (body: string, changes: Partial<CheckedMail> = {}): CheckedMail =>
  mailWith({ html: page(body), ...changes })

/** By the id of the check. */
export const examples: Readonly<Record<string, Example>> = {
  message: { fails: mailWith({ problem: 'The message has no header.' }), passes: mailWith() },
  subject: { fails: mailWith({ subject: ' ' }), passes: mailWith({ subject: '.' }) },
  placeholders: { fails: mailWith({ text: 'Hi {{ name }}' }), passes: mailWith({ text: 'Hi { name }' }) },
  'text-part': { fails: mailWith({ text: '\n' }), passes: mailWith({ text: 'x' }) },
  'html-size': {
    fails: html('x'.repeat(102 * 1024)),
    passes: html('x'.repeat(101 * 1024)),
  },
  links: {
    fails: html('<a href="/start">Start</a>'),
    passes: html('<a href="https://acme.test/start">Start</a>'),
  },
  images: {
    fails: html('<img src="cid:logo" alt="Acme">'),
    passes: html('<img src="cid:logo" alt="Acme">', {
      attachments: [{ content_type: 'image/png', content_id: 'logo' }],
    }),
  },
  'tracking-pixel': {
    fails: html('<img src="https://acme.test/o" alt="" width="1" height="1">'),
    passes: html('<img src="https://acme.test/o" alt="" width="2" height="1">'),
  },
  'image-alternatives': {
    fails: html('<img src="https://acme.test/o.png">'),
    passes: html('<img src="https://acme.test/o.png" alt="">'),
  },
  dkim: {
    fails: mailWith({
      dkim: { domain: 'acme.test', selector: 's', result: 'fail', reason: 'The body was changed.' },
    }),
    passes: mailWith(),
  },
  'list-unsubscribe': {
    fails: mailWith({
      type: 'broadcast',
      list_unsubscribe: { urls: ['https://acme.test/off'], one_click: false },
    }),
    passes: mailWith({
      type: 'broadcast',
      list_unsubscribe: { urls: ['https://acme.test/off'], one_click: true },
    }),
  },
  'client-support': {
    fails: mailWith({ html: '<p style="display: flex">x</p>' }),
    passes: mailWith({ html: '<p>x</p>' }),
    options: { clients: ['outlook/windows'] },
  },
}
