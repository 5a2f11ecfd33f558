import { fieldsOf } from '../core/header-fields.ts'
import { readSignature } from '../mime/dkim/signature.ts'
import { readLength } from './lengths.ts'
import type { CheckedMail, CheckRow, Found } from './check.ts'

/** The check of the fields with which clients offer to unsubscribe. */
export const unsubscribeCheck: CheckRow = {
  id: 'list-unsubscribe',
  title: 'Bulk mail offers one-click unsubscription',
  headline: 'No one-click unsubscription',
  severity: 'error',
  about:
    'Gmail and Yahoo require List-Unsubscribe with an https address and List-Unsubscribe-Post of bulk senders. It ' +
    'is an error for broadcasts; for other mail that has one of the fields, a field that is not valid is a warning, and a missing one a note.',
  fix: 'Add `List-Unsubscribe: <https://…>` and `List-Unsubscribe-Post: List-Unsubscribe=One-Click`.',
  link: 'https://www.rfc-editor.org/rfc/rfc8058',
  run({ mail }) {
    const { type, list_unsubscribe: offered, size_bytes } = mail
    const fields = fieldsOf(mail.headers, unsubscribe)
    const posts = fieldsOf(mail.headers, unsubscribePost)
    const isBroadcast = type === 'broadcast'
    if (size_bytes === 0 || (!isBroadcast && fields.length + posts.length === 0)) return null
    if (fields.length + posts.length === 0)
      return [{ message: 'The broadcast has no List-Unsubscribe field.', place: { header: unsubscribe } }]
    const fault: ToFault = (message, more) => ({
      severity: isBroadcast ? 'error' : 'warning',
      place: { header: unsubscribe },
      ...more,
      message,
    })
    const found = repeated(fields, posts, fault)
    if (fields.length === 0) {
      const message = 'The mail has List-Unsubscribe-Post without List-Unsubscribe.'
      return [...found, fault(message, { place: { header: unsubscribePost } })]
    }
    if (!offered) return [...found, unusableAddress(fields[0] ?? '', fault)]
    if (offered.one_click) return [...found, ...oneClickFaults(mail, offered.urls)]
    return [...found, postFault(posts[0], offered.urls, isBroadcast, fault)]
  },
}

const unsubscribe = 'List-Unsubscribe'
const unsubscribePost = 'List-Unsubscribe-Post'
const unsubscribeFields = [unsubscribe, unsubscribePost].map((name) => name.toLowerCase())

/** Adds severity and place to what is wrong with the fields. */
type ToFault = (message: string, more?: Omit<Found, 'message'>) => Found

function repeated(fields: readonly string[], posts: readonly string[], fault: ToFault): Found[] {
  const counts = [
    [unsubscribe, fields.length, 'RFC 2369 section 3.2'],
    [unsubscribePost, posts.length, 'RFC 8058 section 3.1'],
  ] as const
  return counts
    .filter(([, count]) => count > 1)
    .map(([header, count, rule]) =>
      fault(`The field ${header} occurs ${count} times; ${rule} allows one.`, { place: { header } }),
    )
}

/** Why a List-Unsubscribe field has no address that clients use. */
function unusableAddress(value: string, fault: ToFault): Found {
  return fault(`List-Unsubscribe ${addressProblem(value)}, so clients offer no unsubscription.`, {
    link: 'https://www.rfc-editor.org/rfc/rfc2369#section-2',
  })
}

function addressProblem(value: string): string {
  if (value.includes('=?'))
    return 'has encoded words, which receivers do not decode in this field (RFC 2047 section 5)'
  if (/<[^<>]*>/.test(value)) return 'has neither an https nor a mailto address'
  return 'has no address in angle brackets (RFC 2369 section 2)'
}

/** Why a mail with an address in List-Unsubscribe offers no unsubscription with one click. */
function postFault(
  post: string | undefined,
  urls: readonly string[],
  isBroadcast: boolean,
  fault: ToFault,
): Found {
  const place = { header: unsubscribe, snippet: urls.join(', ') }
  if (post === undefined)
    return fault(
      'The mail has List-Unsubscribe without List-Unsubscribe-Post, so Gmail and Yahoo offer no unsubscription with ' +
        'one click.',
      // Other mail than that to many recipients needs none.
      { severity: isBroadcast ? 'error' : 'note', place },
    )
  if (!urls.some((url) => /^https?:/i.test(url)))
    return fault(
      'List-Unsubscribe-Post needs an https address in List-Unsubscribe, which has a mailto address only (RFC 8058 section 3.1).',
      { place },
    )
  return fault('List-Unsubscribe-Post is not `List-Unsubscribe=One-Click` (RFC 8058 section 3.1).', {
    place: { header: unsubscribePost },
  })
}

/** The reasons why clients offer no one-click unsubscription although both fields exist. */
function oneClickFaults({ headers }: CheckedMail, urls: readonly string[]): Found[] {
  const place = { header: unsubscribe, snippet: urls.join(', ') }
  const isInsecure = urls.some((url) => publicHttp.test(url)) && !urls.some((url) => /^https:/i.test(url))
  const signatures = fieldsOf(headers, 'dkim-signature').map((value) =>
    readSignature(value.slice(0, readLength)),
  )
  const isCovered = signatures.some(
    (read) => 'fields' in read && unsubscribeFields.every((field) => read.fields.includes(field)),
  )
  const found: Found[] = []
  if (isInsecure)
    found.push({ severity: 'warning', message: 'The address in List-Unsubscribe is not https.', place })
  if (signatures.length > 0 && !isCovered)
    found.push({
      severity: 'warning',
      message: 'The DKIM signature does not cover List-Unsubscribe and List-Unsubscribe-Post.',
      place: { header: 'DKIM-Signature' },
      fix: 'Add both names to the signed fields (the tag h= of the signature).',
    })
  return found
}

/** Names without a dot belong to this machine or network, as in the links of Localpost itself. */
const publicHttp = /^http:\/\/(?!127\.|\[)[^/:?#]*\.[^/]/i
