import { readSignature } from '../mime/dkim/signature.ts'
import type { CheckedMail, CheckRow, Found } from './subject.ts'

/** Checks of the facts that mail servers of recipients evaluate. */
export const deliveryChecks: readonly CheckRow[] = [
  {
    id: 'dkim',
    title: 'The DKIM signature is valid',
    group: 'Deliverability',
    severity: 'error',
    about:
      'Gmail and Yahoo reject mail without a valid signature, or treat it as spam. Only the keys of your own domains are known here.',
    fix: 'Sign with the key that the domain publishes, after the last change of the message.',
    link: 'https://www.rfc-editor.org/rfc/rfc6376',
    run({ mail: { dkim, source, size_bytes } }) {
      // A message that is not written yet is not signed yet.
      if (size_bytes === 0) return null
      const place = { header: 'DKIM-Signature' }
      if (!dkim && source === 'api')
        return [{ severity: 'warning', message: 'The message has no DKIM signature.', place }]
      if (!dkim) {
        const message = 'The message has no DKIM signature: the server that forwards it must add one.'
        return [{ severity: 'note', message, place }]
      }
      if (dkim.result === 'pass') return []
      const name = `${dkim.selector}._domainkey.${dkim.domain}`
      if (dkim.result === 'no_key')
        return { skipped: `The key ${name} is not one of this instance, and nothing is looked up.` }
      const reason = dkim.reason === null ? '' : ` ${dkim.reason}`
      const message = `The DKIM signature of ${dkim.domain} does not verify with ${name}.${reason}`
      return [{ message, place }]
    },
  },
  {
    id: 'list-unsubscribe',
    title: 'Bulk mail offers one-click unsubscription',
    group: 'Deliverability',
    severity: 'error',
    about:
      'Gmail and Yahoo require List-Unsubscribe with an https address and List-Unsubscribe-Post of bulk senders. It ' +
      'is an error for broadcasts, and a note for other mail that has one of the fields.',
    fix: 'Add `List-Unsubscribe: <https://…>` and `List-Unsubscribe-Post: List-Unsubscribe=One-Click`.',
    link: 'https://www.rfc-editor.org/rfc/rfc8058',
    run({ mail }) {
      const { type, list_unsubscribe: offered, size_bytes } = mail
      if (size_bytes === 0 || (type !== 'broadcast' && !offered)) return null
      const header = 'List-Unsubscribe'
      if (!offered) return [{ message: 'The broadcast has no List-Unsubscribe field.', place: { header } }]
      if (offered.one_click) return oneClickFaults(mail, offered.urls)
      const message =
        'The mail has List-Unsubscribe without List-Unsubscribe-Post, so Gmail and Yahoo offer no unsubscription with ' +
        'one click.'
      const severity = type === 'broadcast' ? 'error' : 'note'
      return [{ severity, message, place: { header, snippet: offered.urls.join(', ') } }]
    },
  },
]

/** The reasons why clients offer no one-click unsubscription although both fields exist. */
function oneClickFaults({ headers }: CheckedMail, urls: readonly string[]): Found[] {
  const place = { header: 'List-Unsubscribe', snippet: urls.join(', ') }
  const isInsecure = urls.some((url) => publicHttp.test(url)) && !urls.some((url) => /^https:/i.test(url))
  const signatures = headers
    .filter(([name]) => name.toLowerCase() === 'dkim-signature')
    .map(([, value]) => readSignature(value.slice(0, 10_000)))
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

const unsubscribeFields = ['list-unsubscribe', 'list-unsubscribe-post']
/** Names without a dot belong to this machine or network, as in the links of Localpost itself. */
const publicHttp = /^http:\/\/(?!127\.|\[)[^/:?#]*\.[^/]/i
