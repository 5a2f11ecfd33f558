import { readRawFacts } from '../../src/checks/raw-facts.ts'
import type { CheckedMail, MailKnowledge } from '../../src/checks/check.ts'
import type { MailCheckOptions } from '../../src/checks/options.ts'
import type { Severity } from '../../src/checks/types.ts'
import { parseZone } from '../../src/domains/zone-file.ts'
import { mailWith, mailWithHeaders, page } from './_mail.ts'

/** For each check the smallest mail in which it finds something, and one that is close and passes. */
export interface Example {
  fails: CheckedMail
  passes: CheckedMail
  /** The severity of what it finds. Default: that of its row. */
  severity?: Severity
  options?: MailCheckOptions
  /** The knowledge for the mail that fails, and for the one that passes. */
  knowledge?: readonly [fails: MailKnowledge, passes: MailKnowledge]
}

const known = (zone: string, message = ''): MailKnowledge => ({
  ...parseZone(zone),
  sendingHosts: ['203.0.113.5'],
  raw: message === '' ? null : readRawFacts(Buffer.from(message, 'latin1')),
})

const html = (body: string, changes: Partial<CheckedMail> = {}): CheckedMail =>
  mailWith({ html: page(body), ...changes })

/** By the id of the check. */
export const examples: Readonly<Record<string, Example>> = {
  spf: {
    fails: mailWith(),
    passes: mailWith(),
    knowledge: [
      known('mail.acme.test. TXT "v=spf1 ip4:203.0.113.4 -all"'),
      known('mail.acme.test. TXT "v=spf1 ip4:203.0.113.4/31 -all"'),
    ],
  },
  'dmarc-record': {
    fails: mailWith(),
    passes: mailWith(),
    knowledge: [
      known('_dmarc.acme.test. TXT "v=DMARC1; p=block"'),
      known('_dmarc.acme.test. TXT "v=DMARC1; p=reject"'),
    ],
  },
  'bimi-record': {
    fails: mailWith(),
    passes: mailWith(),
    knowledge: [
      known('default._bimi.acme.test. TXT "v=BIMI1; l=http://acme.test/logo.png"'),
      known('default._bimi.acme.test. TXT "v=BIMI1; l=https://acme.test/logo.svg"'),
    ],
  },
  'line-lengths': {
    fails: mailWith(),
    passes: mailWith(),
    knowledge: [
      known('', `Subject: x\r\n\r\n${'x'.repeat(999)}\r\n`),
      known('', `Subject: x\r\n\r\n${'x'.repeat(998)}\r\n`),
    ],
  },
  'calendar-method': {
    fails: mailWith(),
    passes: mailWith(),
    knowledge: ['REPLY', 'REQUEST'].map((method) =>
      known(
        '',
        `Content-Type: text/calendar; method=${method}\r\n\r\nBEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n`,
      ),
    ) as [MailKnowledge, MailKnowledge],
  },
  'encoded-words': {
    severity: 'warning',
    fails: mailWithHeaders({ Subject: '=?utf-8?x?SGVsbG8=?=' }),
    passes: mailWithHeaders({ Subject: '=? or ?=' }),
  },
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
  'html-lang': {
    fails: mailWith({ html: '<p>Hello</p>' }),
    passes: mailWith({ html: '<div lang="en">Hello</div>' }),
  },
  'html-title': {
    fails: mailWith({ html: '<title> </title><p>Hello</p>' }),
    passes: mailWith({ html: '<title>Hello</title><p>Hello</p>' }),
  },
  'layout-tables': {
    fails: html('<table><tr><td>x</td></tr></table>'),
    passes: html('<table role="presentation"><tr><td>x</td></tr></table><table><tr><th>x</th></tr></table>'),
  },
  'heading-order': { fails: html('<h1>a</h1><h3>b</h3>'), passes: html('<h1>a</h1><h2>b</h2><h1>c</h1>') },
  'link-texts': {
    fails: html('<a href="https://acme.test/"><img src="https://acme.test/a.png" alt=""></a>'),
    passes: html('<a href="https://acme.test/"><img src="https://acme.test/a.png" alt="Acme"></a>'),
  },
  // The greys on both sides of a contrast of 4.5 with white.
  contrast: {
    fails: html('<p style="color: #777777">x</p>'),
    passes: html('<p style="color: #767676">x</p>'),
  },
  'font-size': {
    fails: html('<p style="font-size: 8px">x</p>'),
    passes: html('<p style="font-size: 9pt">x</p>'),
  },
  dkim: {
    fails: mailWith({
      dkim: { domain: 'acme.test', selector: 's', result: 'fail', reason: 'The body was changed.' },
    }),
    passes: mailWith(),
  },
  'list-unsubscribe': {
    fails: mailWithHeaders(
      { 'List-Unsubscribe': '<https://acme.test/off>' },
      { type: 'broadcast', list_unsubscribe: { urls: ['https://acme.test/off'], one_click: false } },
    ),
    passes: mailWithHeaders(
      {
        'List-Unsubscribe': '<https://acme.test/off>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
      { type: 'broadcast', list_unsubscribe: { urls: ['https://acme.test/off'], one_click: true } },
    ),
  },
  'dmarc-alignment': {
    fails: mailWith({ dkim: null, envelope: { mail_from: 'a@mailer.test' } }),
    passes: mailWith({ dkim: null, envelope: { mail_from: 'a@mail.acme.test' } }),
  },
  'message-id': {
    fails: mailWithHeaders({ 'Message-ID': null }),
    passes: mailWithHeaders({ 'Message-Id': '<a.b@acme.test>' }),
  },
  date: {
    fails: mailWithHeaders({ Date: '2026-01-05T10:00:00Z' }),
    passes: mailWithHeaders({ Date: '5 Jan 2026 11:00 +0100 (CET)' }),
  },
  'bcc-field': {
    fails: mailWithHeaders({ Bcc: 'bob@example.com' }),
    passes: mailWithHeaders({ Cc: 'bob@example.com' }),
  },
  'single-fields': {
    fails: mailWithHeaders({ Subject: ['One', 'Two'] }),
    passes: mailWithHeaders({ Received: ['One', 'Two'] }),
  },
  'reply-to': {
    fails: mailWithHeaders({ 'Reply-To': 'hi@other.test' }),
    passes: mailWithHeaders({ 'Reply-To': 'Help <hi@help.acme.test>' }),
  },
  bimi: {
    fails: mailWithHeaders({ 'BIMI-Selector': 'v=BIMI1' }),
    passes: mailWithHeaders({ 'BIMI-Selector': 'v=BIMI1; s=acme' }),
  },
  'client-support': {
    fails: mailWith({ html: '<p style="display: flex">x</p>' }),
    passes: mailWith({ html: '<p>x</p>' }),
    options: { clients: ['outlook/windows'] },
  },
}
