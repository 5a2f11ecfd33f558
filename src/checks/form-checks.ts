import { fieldsOf } from '../core/header-fields.ts'
import { isStructuredField } from '../mime/headers/decode-field.ts'
import { readLength } from './lengths.ts'
import type { CheckRow, Found } from './check.ts'

/** Checks of how the message is written. */
export const formChecks: readonly CheckRow[] = [
  {
    id: 'line-lengths',
    title: 'Lines are short enough and end in CR LF',
    headline: 'Lines too long, or not ended by CR LF',
    severity: 'error',
    about:
      'Lines of more than 998 octets, which servers may cut or refuse and which breaks the DKIM signature, and lines that ' +
      'end in a bare line feed.',
    fix: 'Let the mail library encode the part: quoted-printable or base64 keep lines short.',
    link: 'https://www.rfc-editor.org/rfc/rfc5322#section-2.1.1',
    run({ raw }) {
      if (!raw) return null
      const { longest, bareLines } = raw
      const found: Found[] = []
      if (longest.octets > 998)
        found.push({
          message: `Line ${longest.line} of the message has ${longest.octets} octets; at most 998 are allowed.`,
        })
      const fix = 'End each line with CR LF, and write no line feed or carriage return elsewhere.'
      const bare = `${bareLines === 1 ? 'A line ends' : `${bareLines} lines end`} in a line feed without a carriage return.`
      if (bareLines > 0) found.push({ severity: 'warning', message: bare, fix })
      return found
    },
  },
  {
    id: 'encoded-words',
    title: 'Header fields have an encoding that clients can read',
    headline: 'Header fields that clients cannot read',
    severity: 'error',
    about:
      'Encoded words that clients do not decode, because they are malformed, longer than 75 characters, or in a field or ' +
      'an address that has no text for people, and octets beyond ASCII in the header.',
    fix: 'Give the mail library the text as it is, and let it encode the header.',
    link: 'https://www.rfc-editor.org/rfc/rfc2047',
    run({ mail, raw }) {
      const found = shownFields.flatMap((header): Found[] => {
        const word = fieldsOf(mail.headers, header)
          .map((value) => encodedWordForm.exec(value.slice(0, readLength))?.[0])
          .find((written) => written !== undefined)
        if (word === undefined) return []
        const message = `Clients show the encoded word in ${header} as it is written.`
        return [{ severity: 'warning', message, place: { header, snippet: word } }]
      })
      if (raw === null) return found.length === 0 ? null : found
      const { longWord, rawField } = raw
      for (const header of raw.encodedFields) {
        found.push({
          severity: 'error',
          message: `Receivers do not decode the encoded words in ${isStructuredField(header) ? '' : 'an address of '}${header} (RFC 2047 section 5).`,
          place: { header },
          fix: 'Write this field in ASCII, and fold it at a space if it is long.',
        })
      }
      if (longWord)
        found.push({
          severity: 'warning',
          message: `An encoded word has ${longWord.length} characters; at most 75 are allowed: ${longWord.slice(0, 40)}….`,
        })
      if (rawField)
        found.push({
          severity: 'note',
          message: `The field ${rawField} has octets beyond ASCII, which servers without SMTPUTF8 refuse.`,
          place: { header: rawField },
        })
      return found
    },
  },
  {
    id: 'calendar-method',
    title: 'The method of an invitation is the same in both places',
    headline: 'Two methods for one invitation',
    severity: 'warning',
    about:
      'The parameter `method` of the part and the property METHOD of the calendar in it. Clients that read only one of ' +
      'them show a reply as an invitation, or no buttons to answer it.',
    fix: 'Write the value of METHOD as the parameter: `Content-Type: text/calendar; method=REQUEST; charset=utf-8`.',
    link: 'https://www.rfc-editor.org/rfc/rfc6047#section-2.4',
    run({ raw }) {
      if (!raw || raw.calendars.length === 0) return null
      return raw.calendars.flatMap(({ parameter, property }): Found[] => {
        if (parameter === property) return []
        if (parameter === null)
          return [{ message: `The calendar has METHOD:${property}, but its part has no parameter method.` }]
        const other = property === null ? 'no METHOD' : `METHOD:${property}`
        return [
          { message: `The part of the calendar has method=${parameter}, but the calendar has ${other}.` },
        ]
      })
    },
  },
]

const shownFields = ['Subject', 'From', 'To', 'Cc', 'Reply-To', 'Sender']
const encodedWordForm = /=\?[\w.+*-]{1,60}\?[a-z]\?[^\s?]{0,200}(?:\?=)?/i
