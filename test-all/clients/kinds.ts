import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A mail that every set-up sends. Files are named by their paths, so that programs in all languages read them alike. */
export interface Kind {
  subject: string
  from: string
  /** Addresses, the first with a display name where that matters. */
  to: string[]
  text: string
  html?: string
  /** Content-ID, path and type. */
  inline?: [string, string, string][]
  /** File name, path and type. */
  attachments?: [string, string, string][]
  /** The path of an invitation. */
  calendar?: string
}

const from = 'App <app@acme.test>'
const ada = ['ada@example.com']

const files = {
  'all.bin': Buffer.from(Array.from({ length: 2000 }, (_, index) => index % 256)),
  'report.txt': Buffer.from('Zeile eins äöü\n.dot\nzeile drei 🎉\n'),
  'logo.png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  'invite.ics': Buffer.from(
    [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//acme//EN',
      'METHOD:REQUEST',
      'BEGIN:VEVENT',
      'UID:1@acme.test',
      'DTSTAMP:20260101T000000Z',
      'DTSTART:20260102T100000Z',
      'DTEND:20260102T110000Z',
      'SUMMARY:Stand-up',
      'ORGANIZER:mailto:app@acme.test',
      'ATTENDEE:mailto:ada@example.com',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ].join('\r\n'),
  ),
}

/** Writes the files of the mails and `kinds.json` into a folder, and returns the mails by name. */
export function writeKinds(folder: string): Record<string, Kind> {
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
  const at = (name: keyof typeof files): string => join(folder, name)
  const kinds: Record<string, Kind> = {
    // The subject must be folded, and lines with dots be stuffed.
    plain: {
      subject:
        'Plain ünïcode ✉ subject with a fairly long tail so that the field must be folded somewhere äöü',
      from,
      to: ['Ada Lovelace <ada@example.com>'],
      text: 'Grüße aus Köln — 你好\n\n.dot line\n..two dots\nlast line\n',
    },
    alternative: {
      subject: 'Alternative',
      from,
      to: ada,
      text: 'Code 482913 – https://acme.test/v?t=a=b&c=%20\n',
      html: '<p>Code <b>482913</b> – <a href="https://acme.test/v?t=a=b&amp;c=%20">confirm ✓</a></p>\n',
    },
    inline: {
      subject: 'Inline',
      from,
      to: ada,
      text: 'see logo\n',
      html: '<p>ü <img src="cid:logo@acme"></p>\n',
      inline: [['logo@acme', at('logo.png'), 'image/png']],
    },
    attachments: {
      subject: 'Attachments',
      from,
      to: ada,
      text: 'attached ü\n',
      attachments: [
        ['Rechnung März 2026.pdf', at('all.bin'), 'application/pdf'],
        ['报告 🎉.txt', at('report.txt'), 'text/plain'],
        ['a "quoted"; name.bin', at('all.bin'), 'application/octet-stream'],
      ],
    },
    eightbit: { subject: 'Eightbit', from, to: ada, text: '8bit äöü €\n.dot\n' },
    utf8: {
      subject: 'UTF8 addresses',
      from: 'jörg@acme.test',
      to: ['用户@example.com'],
      text: 'utf8\n',
    },
    sixty: {
      subject: 'Sixty',
      from,
      to: Array.from({ length: 60 }, (_, index) => `user${index}@example.com`),
      text: 'sixty\n',
    },
    calendar: { subject: 'Calendar', from, to: ada, text: 'invite\n', calendar: at('invite.ics') },
  }
  writeFileSync(join(folder, 'kinds.json'), JSON.stringify(kinds))
  return kinds
}
