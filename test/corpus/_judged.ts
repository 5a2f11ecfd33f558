import type { Member } from './_second-opinion.ts'

/** Why a parser may read some members of some messages in another way than ours. */
interface Judgement {
  readonly why: string
  /** The members that are read differently, by the title of the message. */
  readonly messages: Readonly<Record<string, readonly Member[]>>
}

/** Each difference between our parser and mailparser, by the class of the corpus. Ours is right, or chosen, in all of them. */
export const judged: Readonly<Record<string, readonly Judgement[]>> = {
  addresses: [
    {
      why: 'RFC 5322 section 3.2.2: white space between the words of a name is one space',
      messages: {
        'a name of several words': ['to'],
      },
    },
    {
      why: 'RFC 5322 section 4.4: a route is ignored',
      messages: {
        'a route before the address': ['to'],
        'appendix A.6.1': ['to'],
      },
    },
    {
      why: 'RFC 5322 section 3.4.1: a quoted local part may contain any character',
      messages: {
        'an angle bracket in a quoted local part': ['to'],
      },
    },
    {
      why: 'The address stays as written (RFC 5891 section 4.4 leaves its display open)',
      messages: {
        'a domain in A-labels': ['to'],
      },
    },
    {
      why: 'RFC 5322 section 3.4: a mailbox has an address',
      messages: {
        'a name without an address is not an address': ['to'],
      },
    },
    {
      why: 'RFC 5322 section 3.2.2: comments may contain parentheses, and stand between the parts of an address',
      messages: {
        'appendix A.5': ['to'],
      },
    },
  ],
  'bodies and files': [
    {
      why: 'Decision mime.body: a text part with a name is an attachment',
      messages: {
        'a text that only its type names is a file': ['attachments', 'text'],
        'a text that is to be shown but has a file name is a file': ['attachments', 'text'],
        'an HTML file beside a plain body': ['attachments', 'html'],
      },
    },
    {
      why: 'RFC 2045 section 5.2: a part without a type is text/plain, also where it is an attachment',
      messages: {
        'a text to be saved, without a name, before the body': ['attachments'],
      },
    },
  ],
  'bodies of several parts': [
    {
      why: 'Decision mime.body: a plain text that is shown after HTML, or before HTML with another text version, is in the HTML too. mailparser converts texts to HTML only where it adds a text version to HTML as well, which we never do',
      messages: {
        'HTML and a text beside a text': ['html', 'text'],
        'a banner before alternatives': ['html'],
        'a footer after alternatives': ['html'],
        'a footer after related parts': ['html', 'text'],
        'a text after HTML': ['html', 'text'],
        'a text and HTML beside a text': ['html', 'text'],
        'a text with markup after HTML': ['html', 'text'],
        'a text, HTML, and both again': ['html', 'text'],
      },
    },
    {
      why: 'RFC 2046 section 5.1.4: alternatives of one kind are versions of one content, of which one is shown',
      messages: {
        'a second HTML part as an alternative': ['attachments', 'html'],
        'a second text as an alternative': ['attachments', 'text'],
        'alternatives of which the second has no name': ['attachments', 'text'],
      },
    },
    {
      why: 'Decision mime.body: a text part with a name is an attachment where there is another text',
      messages: {
        'a text after a text with a name': ['attachments', 'text'],
        'an HTML part with a name before a text with one': ['attachments', 'text'],
        'texts that all have names': ['attachments', 'text'],
      },
    },
    {
      why: 'RFC 2046 section 5.1.1: the line end before a boundary belongs to it, so an empty text adds one line end',
      messages: {
        'an empty text between others': ['text'],
      },
    },
  ],
  boundaries: [
    {
      why: 'RFC 2045 section 5.1: comments are allowed in Content-Type',
      messages: {
        'a boundary behind a comment': ['attachments', 'text'],
      },
    },
    {
      why: 'RFC 2046 section 5.1.1: white space behind a boundary is ignored (transport-padding)',
      messages: {
        'a boundary with a white space behind it, which no boundary has': ['attachments', 'text'],
        'a space behind a boundary': ['attachments', 'text'],
        'a space behind the last boundary': ['attachments'],
        'a tab behind a boundary': ['attachments', 'text'],
        'a tab behind the last boundary': ['attachments'],
        'many of both behind a boundary': ['attachments', 'text'],
        'many of both behind the last boundary': ['attachments'],
        'a thousand spaces behind a boundary': ['attachments', 'text'],
        'a thousand spaces behind the last boundary': ['attachments'],
      },
    },
    {
      why: 'RFC 2046 section 5.1.1: an incomplete boundary is no boundary',
      messages: {
        'the message ends within the last boundary': ['attachments'],
      },
    },
  ],
  'boundaries of inner multiparts': [
    {
      why: 'RFC 2046 section 5.1.2: a boundary of an outer multipart ends the inner ones',
      messages: {
        'the last boundary of an inner multipart is missing': ['attachments', 'html'],
        'the last boundaries of an inner multipart and of the last part are missing': ['text'],
        'the last boundaries of two inner multiparts are missing': ['attachments', 'text'],
        'the multipart in the middle ends before the one inside it': ['attachments', 'text'],
      },
    },
  ],
  'broken mail': [
    {
      why: 'RFC 2046 section 5.1 asks for an empty line. Where it is missing, the header ends at the first line that is no field, and nothing is lost',
      messages: {
        'a part without headers and without an empty line is shown': ['text'],
        'a part without an empty line, whose first line looks like a field that no part has': ['text'],
        'a part without an empty line between header and text': ['text'],
        'a file without an empty line between header and content': ['attachments'],
        'a boundary parameter without a semicolon before it': ['text'],
      },
    },
    {
      why: 'RFC 2045 section 5.2: an invalid type is text/plain',
      messages: {
        'a Content-Type of random characters': ['attachments', 'text'],
      },
    },
    {
      why: 'RFC 2046 section 5.1: a multipart that cannot be split by its parameter is read as far as possible, and shown as text otherwise (decision mime.multipart)',
      messages: {
        'a repeated parameter, of which the first is used': ['text'],
      },
    },
  ],
  charsets: [
    {
      why: 'RFC 2781 section 4.3: the mark decides, and without one UTF-16 is big-endian',
      messages: {
        'utf-16 in base64, with the mark feff': ['text'],
        'utf-16 without a mark is big-endian': ['text'],
      },
    },
  ],
  'content types and dispositions': [
    {
      why: 'RFC 2045 section 5.1: comments are allowed in Content-Type',
      messages: {
        'comments in a type': ['attachments', 'text'],
      },
    },
    {
      why: 'RFC 2045 section 5.2: an invalid type is text/plain',
      messages: {
        'a type that is none is plain text': ['attachments', 'text'],
      },
    },
    {
      why: 'RFC 2046 section 4: a type that cannot be one is application/octet-stream',
      messages: {
        'a type with characters that none may have': ['attachments'],
      },
    },
  ],
  digests: [
    {
      why: 'RFC 2046 section 5.1.5: the parts of a digest are messages, and messages are attachments',
      messages: {
        'the parts of a digest are messages if they have no other type': ['attachments', 'text'],
        'a part of a digest with another type': ['attachments', 'text'],
        'a part of a digest with other fields of its own': ['attachments', 'text'],
        'a digest after a table of contents': ['attachments', 'text'],
        'a digest without parts inside a message': ['attachments'],
        'a message of a digest that is a multipart is one part': ['attachments', 'text'],
      },
    },
  ],
  'empty, deep and many parts': [
    {
      why: 'RFC 2045 section 5.2: a part without a type is text/plain, also where it is an attachment',
      messages: {
        'an empty attachment in base64 has 0 bytes': ['attachments'],
        'an empty attachment in quoted-printable has 0 bytes': ['attachments'],
        'an empty attachment in 8bit has 0 bytes': ['attachments'],
        'an empty attachment in 7bit has 0 bytes': ['attachments'],
        'an empty attachment in binary has 0 bytes': ['attachments'],
      },
    },
  ],
  'encoded words': [
    {
      why: 'RFC 2047 section 6.3: an encoded word that cannot be decoded is shown as written',
      messages: {
        'a word with a charset that is unknown is shown as written': ['subject'],
        'a word with an escape that is broken is shown as written': ['subject'],
        'a word with an escape that is cut is shown as written': ['subject'],
        'a word with characters that are not base64 is shown as written': ['subject'],
        'a broken word does not affect a valid one next to it': ['subject'],
      },
    },
    {
      why: 'RFC 2047 section 2 allows no raw octets. We read each word and the text between them by itself (decision mime.raw-octets)',
      messages: {
        'raw Latin-1 inside a word in Latin-1': ['subject'],
        'raw octets: UTF-8 in a word, Latin-1 behind it': ['subject'],
        'raw octets: UTF-8 in a word, Latin-1 before it': ['subject'],
        'raw octets: UTF-8 before a word, Latin-1 behind it': ['subject'],
        'raw octets: UTF-8 before a word, Latin-1 in it': ['subject'],
        'raw octets: UTF-8 and Latin-1 in words': ['subject'],
        'raw octets: a word in B, Latin-1 behind it': ['subject'],
        'raw octets: a word in B, UTF-8 before it, Latin-1 behind it': ['subject'],
        'raw octets: KOI8-R in a word, UTF-8 behind it': ['subject'],
        'raw octets: Shift_JIS in a word, Latin-1 behind it': ['subject'],
        'raw octets: Shift_JIS in a word, UTF-8 behind it': ['subject'],
        'raw octets: GB 18030 in a word, in octets that UTF-8 has too': ['subject'],
        'raw octets: an octet that is a space in Latin-1': ['subject'],
        'raw octets: a broken word with UTF-8, Latin-1 behind it': ['subject'],
        'raw octets: a word in an unknown charset with UTF-8, Latin-1 behind another': ['subject'],
        'raw octets: UTF-8 on a line, Latin-1 on the next': ['subject'],
        'raw octets: UTF-8 in the word of a name, Latin-1 in the name beside it': ['cc', 'to'],
      },
    },
  ],
  headers: [
    {
      why: 'RFC 5322 section 3.6 allows one Subject. We take the first, mailparser the last',
      messages: {
        'two subjects, of which the first counts': ['subject'],
      },
    },
    {
      why: 'RFC 5322 section 2.2 allows no raw octets. We read them as Latin-1 where they are not UTF-8 (decision mime.raw-octets)',
      messages: {
        'Latin-1, which is not allowed': ['subject'],
      },
    },
  ],
  'lines of text': [
    {
      why: 'RFC 3676 section 4.5: lines of the same depth of quotes are joined',
      messages: {
        'flowed text: quotes are joined with quotes of their depth': ['text'],
      },
    },
    {
      why: 'RFC 3676 section 4.3: the separator of a signature is not joined',
      messages: {
        'flowed text: a signature separator is never joined': ['text'],
      },
    },
    {
      why: 'RFC 2046 section 4.1.1 allows no lone CR. We show it as a line end',
      messages: {
        'a lone CR in a text': ['text'],
      },
    },
  ],
  'lines that are or look like boundaries': [
    {
      why: 'RFC 2046 section 5.1: a multipart that cannot be split is shown as text (decision mime.multipart)',
      messages: {
        'no boundary is named': ['text'],
        'an empty boundary is named': ['text'],
        'the boundary that is named is not there': ['text'],
      },
    },
    {
      why: 'RFC 2046 section 5.1.1: a part may have a header and no body',
      messages: {
        'a boundary directly behind the header of a part': ['attachments'],
      },
    },
  ],
  'names of attachments': [
    {
      why: 'RFC 2231 section 4.1: a section without an asterisk is not percent-encoded',
      messages: {
        'a percent sign in a section that is not encoded': ['attachments'],
      },
    },
    {
      why: 'RFC 2231 section 7: not a valid escape, so it stays as written',
      messages: {
        'an escape that is broken stays': ['attachments'],
      },
    },
    {
      why: 'RFC 2045 section 5.1 allows no raw octets in parameters. We read each parameter by itself (decision mime.raw-octets)',
      messages: {
        'raw octets: UTF-8, Latin-1 in another': ['attachments'],
        'raw octets: UTF-8 in a word, Latin-1 in another': ['attachments'],
        'raw octets: UTF-8 in an extended one, Latin-1 in another': ['attachments'],
        'raw octets: Latin-1 in an extended one': ['attachments'],
        'raw octets: KOI8-R in an extended one': ['attachments'],
        'raw octets: Latin-1 in an extended one, UTF-8 in another': ['attachments'],
        'raw octets: in sections, a character over two': ['attachments'],
        'raw octets: in extended sections, Latin-1 in another': ['attachments'],
      },
    },
    {
      why: 'RFC 2183 section 2.3: a name is not used as it is. Paths, control characters and marks of direction are removed',
      messages: {
        'a path, of which the last segment counts': ['attachments'],
        'a path of another system': ['attachments'],
        'a path that is encoded': ['attachments'],
        'a name of dots': ['attachments'],
        'a name of spaces': ['attachments'],
        'control characters, which are removed': ['attachments'],
        'a mark that turns the direction of text, which goes': ['attachments'],
        'a name of 300 characters, of which the last 255 are shown': ['attachments'],
      },
    },
  ],
  'nested messages': [
    {
      why: 'RFC 2046 section 5.2.1: a message is an attachment, not a part of the body',
      messages: {
        'a message that is to be shown inline': ['attachments', 'text'],
      },
    },
  ],
  reports: [
    {
      why: 'RFC 3464 section 2: the report for programs is not a part of the body',
      messages: {
        'a report of a failed delivery, with the message': ['attachments', 'text'],
        'a report of a failed delivery, with only the header': ['attachments', 'text'],
        'a report without the message': ['attachments', 'text'],
        'a report whose explanation has two forms': ['attachments', 'text'],
      },
    },
    {
      why: 'RFC 2046 section 5.2.1: a message is an attachment, not a part of the body',
      messages: {
        'a complaint': ['attachments', 'text'],
      },
    },
  ],
  structure: [
    {
      why: 'RFC 2387 section 3.1: what is next to the root of a multipart/related is no body',
      messages: {
        'a text beside the root of related parts is no body': ['attachments', 'text'],
      },
    },
  ],
  'transfer encodings': [
    {
      why: 'x-uuencode is not of RFC 2045 (section 6.3 leaves it to agreements). We decode it, mailparser does not',
      messages: {
        'x-uuencode: a file': ['attachments'],
        'uuencode: a file': ['attachments'],
        'x-uue: a file': ['attachments'],
        'X-UUENCODE: a file': ['attachments'],
        'x-uuencode: spaces for the lowest digit': ['attachments'],
        'x-uuencode: two full lines': ['attachments'],
        'x-uuencode: a body': ['text'],
      },
    },
  ],
  'which charset counts': [
    {
      why: 'Octets that are not UTF-8 are read as windows-1252 (decision mime.charset)',
      messages: {
        'no charset, and octets that are not UTF-8: as in headers, Latin-1': ['text'],
        'no MIME at all, and octets that are not UTF-8': ['text'],
        'us-ascii, and octets that are Latin-1': ['text'],
        'a charset that is unknown, and octets that are not UTF-8': ['text'],
      },
    },
    {
      why: 'RFC 3629 section 6: the byte order mark at the beginning is no text',
      messages: {
        'the mark of UTF-8 is no text': ['text'],
        'a mark without a charset says that it is UTF-8': ['text'],
      },
    },
    {
      why: 'The HTML standard, "prescan a byte stream": the charset of the meta element counts (decision mime.charset)',
      messages: {
        'HTML whose charset a meta element names': ['html'],
        'HTML whose charset a meta element without quotes names': ['html'],
        'HTML whose charset the older form of a meta element names': ['html'],
        'HTML whose charset a meta element behind others names': ['html'],
      },
    },
  ],
}
