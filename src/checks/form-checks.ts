import { fieldsOf, type CheckRow, type Found } from './subject.ts'

/** Checks of how the message is written. */
export const formChecks: readonly CheckRow[] = [
  {
    id: 'line-lengths',
    title: 'Lines are short enough and end in CR LF',
    group: 'Message',
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
    group: 'Message',
    severity: 'warning',
    about:
      'Encoded words that clients do not decode or that are longer than 75 characters, and octets beyond ASCII ' +
      'in the header.',
    fix: 'Give the mail library the text as it is, and let it encode the header.',
    link: 'https://www.rfc-editor.org/rfc/rfc2047',
    run({ mail, raw }) {
      const found = encodedFields.flatMap((header): Found[] => {
        const word = fieldsOf(mail, header.toLowerCase())
          .map(
            (value) => /=\?[\w.+*-]{1,60}\?[a-z]\?[^\s?]{0,200}(?:\?=)?/i.exec(value.slice(0, 10_000))?.[0],
          )
          .find((found) => found !== undefined)
        if (word === undefined) return []
        const message = `Clients show the encoded word in ${header} as it is written.`
        return [{ message, place: { header, snippet: word } }]
      })
      if (raw === null) return found.length === 0 ? null : found
      const { longWord, rawField } = raw
      if (longWord)
        found.push({
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
]

const encodedFields = ['Subject', 'From', 'To', 'Cc', 'Reply-To', 'Sender']
