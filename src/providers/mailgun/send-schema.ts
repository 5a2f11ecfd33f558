import { z } from 'zod'
import { notSupported } from '../not-supported.ts'
import { timeForms } from './times.ts'

/** How many addresses `to`, `cc` and `bcc` may each have, and how many recipients an email. */
export const maxRecipients = 1000
/** How many files an email may have. */
const maxFiles = 1000

const text = z.string()
const addresses = z.array(text.min(1)).max(maxRecipients)
const tags = z.array(text.min(1).max(128)).max(10).optional()
const files = z.array(text).max(maxFiles).optional()
const yesNo = z.enum(['yes', 'no', 'true', 'false'])
const trackingChoice = z.enum([...yesNo.options, 'htmlonly'])
const json = text.max(5_000_000).optional()

const ignored = (why: string): z.ZodOptional<typeof yesNo> =>
  yesNo.optional().describe(`Has no effect: ${why}`)

/** The options of both ways to send. */
const options = {
  'o:tag': tags.describe('Tags of the mail in the inbox, at most 10'),
  'o:deliverytime': text.optional().describe(`${timeForms}; at most 7 days ahead`),
  'o:testmode': yesNo
    .optional()
    .describe(
      'Kept in events. The mail is in the inbox all the same; where mail goes to a relay, it is refused',
    ),
  'o:tracking': trackingChoice.optional().describe('Opens and clicks'),
  'o:tracking-clicks': trackingChoice.optional(),
  'o:tracking-opens': yesNo.optional(),
  'o:dkim': ignored('mail of a registered domain is always signed'),
  'o:require-tls': ignored('TLS is the setting of the relay'),
  'o:skip-verification': ignored('TLS is the setting of the relay'),
  'o:tracking-pixel-location-top': trackingChoice.optional().describe('Has no effect'),
  'o:sending-ip': text.optional().describe('Has no effect'),
  'o:sending-ip-pool': text.optional().describe('Has no effect'),
  'o:suppress-headers': text.optional().describe('Has no effect: no such fields are written'),
  'o:secondary-dkim': notSupported('a mail has the keys of its domain'),
  'o:secondary-dkim-public': notSupported('a mail has the keys of its domain'),
  'o:deliverytime-optimize-period': notSupported('the time is not optimised'),
  'o:time-zone-localize': notSupported('time zones of recipients are not known'),
  'o:archive-to': notSupported('all mail is in the inbox'),
}

/** The texts of a message, by name; those that begin with `h:` and `v:` aside. */
export const sendSchema = z.strictObject({
  from: text.min(1).describe('One address'),
  to: addresses.describe(`Addresses, each text one or a list; at most ${maxRecipients}`),
  cc: addresses.optional(),
  bcc: addresses.optional(),
  subject: text.optional().describe('Required, unless the template has one'),
  text: text.optional(),
  html: text.optional(),
  attachment: files.describe('Files'),
  inline: files.describe('Files that the HTML shows by `cid:` and their name'),
  template: text.min(1).max(1000).optional().describe('A template of this account'),
  't:version': text.min(1).max(200).optional().describe('A version of the template'),
  't:text': z
    .enum(['no', 'false'], 'must be no: Localpost makes no text of a template. Give text, or leave it out')
    .optional(),
  't:variables': json.describe('Data of the template: an object in JSON'),
  'recipient-variables': json.describe(
    'An object in JSON, by address: each address of `to` gets an email of its own, with its values in `%recipient.name%`',
  ),
  ...options,
  'amp-html': notSupported('messages have no part in AMP here'),
})
export type MailgunSend = z.infer<typeof sendSchema>

/** The same of a message that is sent as a whole. */
export const mimeSchema = z.strictObject({
  to: addresses.describe(`The recipients, each text an address or a list; at most ${maxRecipients}`),
  message: z.array(text).length(1, 'must be given once').describe('A MIME message, as a file or a text'),
  ...options,
  'o:tracking': trackingChoice
    .optional()
    .describe('`no`: a whole message is never tracked, so `yes` is refused'),
  template: notSupported('a whole message has no template'),
  'recipient-variables': notSupported('a whole message has no variables. Send it by /messages'),
})
export type MailgunMime = z.infer<typeof mimeSchema>

/** The parameters that may be given more than once; others have one value. */
export const listNames: ReadonlySet<string> = new Set<keyof MailgunSend | keyof MailgunMime>([
  'to',
  'cc',
  'bcc',
  'o:tag',
  'attachment',
  'inline',
  'message',
])

/** The parameters that are files. */
export const fileNames: ReadonlySet<string> = new Set<keyof MailgunSend>(['attachment', 'inline'])
