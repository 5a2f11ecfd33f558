import { corpus, file, head, html, lines, text, typed } from './_corpus.ts'
import { inner, innerLines, message, withoutEnd } from './_inner.ts'

const report = (kind: string, ...parts: string[]): string =>
  typed(`multipart/report; report-type=${kind}; boundary=r`, ...parts, '--r--')
const status = [
  'Reporting-MTA: dns; mx.test',
  '',
  'Final-Recipient: rfc822; bob@x.test',
  'Action: failed',
  'Status: 5.1.1',
]

corpus('reports', [
  {
    title: 'a report of a failed delivery, with the message',
    says: 'RFC 3464 section 2, RFC 6522 section 3',
    message: report(
      'delivery-status',
      '--r',
      '',
      'It could not be delivered.',
      '--r',
      'Content-Type: message/delivery-status',
      '',
      ...status,
      '--r',
      message,
      '',
      ...innerLines('Hi'),
    ),
    expected: {
      leaves: [
        text('It could not be delivered.'),
        file('message/delivery-status', withoutEnd(lines(...status))),
        file('message/rfc822', withoutEnd(inner('Hi'))),
      ],
    },
  },
  {
    title: 'a report of a failed delivery, with only the header',
    says: 'RFC 6522 section 4',
    message: report(
      'delivery-status',
      '--r',
      '',
      'Failed.',
      '--r',
      'Content-Type: message/delivery-status',
      '',
      ...status,
      '--r',
      'Content-Type: text/rfc822-headers',
      '',
      'Subject: x',
    ),
    expected: {
      leaves: [
        text('Failed.'),
        file('message/delivery-status', withoutEnd(lines(...status))),
        file('text/rfc822-headers', 'Subject: x'),
      ],
    },
  },
  {
    title: 'a report without the message',
    says: 'RFC 6522 section 3, the third part is optional',
    message: report(
      'delivery-status',
      '--r',
      '',
      'Failed.',
      '--r',
      'Content-Type: message/delivery-status',
      '',
      ...status,
    ),
    expected: { leaves: [text('Failed.'), file('message/delivery-status', withoutEnd(lines(...status)))] },
  },
  {
    title: 'a report whose explanation has two forms',
    says: 'RFC 6522 section 3',
    message: report(
      'delivery-status',
      '--r',
      'Content-Type: multipart/alternative; boundary=a',
      '',
      '--a',
      '',
      'Failed.',
      '--a',
      'Content-Type: text/html',
      '',
      '<p>Failed.',
      '--a--',
      '--r',
      'Content-Type: message/delivery-status',
      '',
      ...status,
    ),
    expected: {
      leaves: [
        text('Failed.'),
        html('<p>Failed.'),
        file('message/delivery-status', withoutEnd(lines(...status))),
      ],
    },
  },
  {
    title: 'an international report of a delivery',
    says: 'RFC 6533 section 4',
    message: report(
      'delivery-status',
      '--r',
      '',
      'Failed.',
      '--r',
      'Content-Type: message/global-delivery-status',
      '',
      ...status,
    ),
    expected: {
      leaves: [text('Failed.'), file('message/global-delivery-status', withoutEnd(lines(...status)))],
    },
  },
  {
    title: 'a notice that a message was read',
    says: 'RFC 8098 section 3',
    message: report(
      'disposition-notification',
      '--r',
      '',
      'It was read.',
      '--r',
      'Content-Type: message/disposition-notification',
      '',
      'Disposition: manual-action/MDN-sent-manually; displayed',
    ),
    expected: {
      leaves: [
        text('It was read.'),
        file('message/disposition-notification', 'Disposition: manual-action/MDN-sent-manually; displayed'),
      ],
    },
  },
  {
    title: 'a complaint',
    says: 'RFC 5965 section 2',
    message: report(
      'feedback-report',
      '--r',
      '',
      'A complaint.',
      '--r',
      'Content-Type: message/feedback-report',
      '',
      'Feedback-Type: abuse',
      '--r',
      message,
      'Content-Disposition: inline',
      '',
      ...innerLines('Buy'),
    ),
    expected: {
      leaves: [
        text('A complaint.'),
        file('message/feedback-report', 'Feedback-Type: abuse'),
        file('message/rfc822', withoutEnd(inner('Buy')), { disposition: 'inline' }),
      ],
    },
  },
  {
    title: 'a report of DMARC, which is one file',
    says: 'RFC 7489 section 7.2.1.1',
    message: lines(
      head,
      'Content-Type: application/gzip; name="x.test!y.test!1!2.xml.gz"',
      'Content-Disposition: attachment; filename="x.test!y.test!1!2.xml.gz"',
      'Content-Transfer-Encoding: base64',
      '',
      'H4sI',
    ),
    expected: { leaves: [file('application/gzip', '\x1f\x8b\x08', { name: 'x.test!y.test!1!2.xml.gz' })] },
  },
])
