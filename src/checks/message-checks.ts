import { scannedLength } from '../mime/html/scan-html.ts'
import { findPlaceholders, type PlacedPlaceholder } from './placeholders.ts'
import type { CheckRow, FoundPlace } from './check.ts'
import { isClippedFirst } from '../reading/findings.ts'

/** Checks of the message as a whole: whether it can be read, its subject, its parts and its size. */
export const messageChecks: readonly CheckRow[] = [
  {
    id: 'message',
    title: 'The message can be read in full',
    headline: 'The message cannot be read in full',
    severity: 'error',
    about:
      'Broken MIME structure, an unknown character set, or a message that is longer than what Localpost searches.',
    fix: 'Build the message with a mail library instead of joining strings.',
    link: 'https://www.rfc-editor.org/rfc/rfc2045',
    run({ mail: { problem } }) {
      if (problem === null) return []
      return [{ severity: isClippedFirst(problem) ? 'note' : 'error', message: problem }]
    },
  },
  {
    id: 'subject',
    title: 'The mail has a subject',
    headline: 'No subject',
    severity: 'warning',
    about: 'A mail without a subject is easy to overlook, and a common sign of spam.',
    fix: 'Set a subject.',
    link: 'https://www.rfc-editor.org/rfc/rfc5322#section-3.6.5',
    run({ mail: { subject } }) {
      if (subject.trim() !== '') return []
      return [{ message: 'The mail has no subject.', place: { header: 'Subject' } }]
    },
  },
  {
    id: 'placeholders',
    title: 'No placeholder is left',
    headline: 'Placeholders left',
    severity: 'error',
    about:
      'Placeholders of templates, as `{{ name }}`, `{% if %}`, `${name}`, `[[name]]`, `%%name%%` or `*|NAME|*`, and `[object Object]`.',
    fix: 'Pass a value for the placeholder, or remove it from the template.',
    link: 'https://mustache.github.io/mustache.5.html',
    run({ mail }) {
      return findPlaceholders(mail).map((placeholder) => ({
        message: `The placeholder ${placeholder.written} was not replaced.`,
        place: placeOf(placeholder, mail.subject),
      }))
    },
  },
  {
    id: 'text-part',
    title: 'The mail has a text part',
    headline: 'No text part',
    severity: 'warning',
    about:
      'Some clients, watches and screen readers show the text part; spam filters expect one beside HTML.',
    fix: 'Send a text version beside the HTML.',
    link: 'https://www.rfc-editor.org/rfc/rfc2046#section-5.1.4',
    run({ mail: { html, text } }) {
      if (text.trim() !== '') return []
      return [{ message: html === '' ? 'The mail has no body.' : 'The HTML has no text part beside it.' }]
    },
  },
  {
    id: 'html-size',
    title: 'Gmail does not clip the HTML',
    headline: 'Gmail clips the HTML',
    severity: 'warning',
    about: 'Gmail shows the first 102 KB of HTML, and hides the rest, often with the link to unsubscribe.',
    fix: 'Shorten the HTML: remove unused CSS, comments and embedded images.',
    link: 'https://github.com/hteumeuleu/email-bugs/issues/41',
    run({ mail: { html } }) {
      if (html === '') return null
      const kilobytes = Buffer.byteLength(html) / 1024
      if (kilobytes <= clippedAtKilobytes) return []
      const size = `${Math.round(kilobytes)} KB`
      return [
        { message: `The HTML has ${size}: Gmail shows only the first ${clippedAtKilobytes} KB.` },
        ...(html.length > scannedLength
          ? [{ message: `The HTML has ${size}: only the first 1,000,000 characters are checked.` }]
          : []),
      ]
    },
  },
]

function placeOf({ written, part, offset }: PlacedPlaceholder, subject: string): FoundPlace {
  if (part === 'subject') return { header: 'Subject', snippet: subject }
  return part === 'html' ? { html: offset, snippet: written } : { text: offset, snippet: written }
}

const clippedAtKilobytes = 102
