import type { CheckRow } from './subject.ts'

/** Checks of what mail servers of recipients look at. */
export const deliveryChecks: readonly CheckRow[] = [
  {
    id: 'dkim',
    title: 'The DKIM signature is valid',
    group: 'Deliverability',
    severity: 'error',
    about:
      'Gmail and Yahoo reject or sort out mail without a valid signature. Only the keys of the own domains are known here.',
    fix: 'Sign with the key that the domain publishes, after the last change of the message.',
    link: 'https://www.rfc-editor.org/rfc/rfc6376',
    run({ mail: { dkim, source, size_bytes } }) {
      // A message that is not written yet is not signed yet.
      if (size_bytes === 0) return null
      const place = { header: 'DKIM-Signature' }
      if (!dkim) {
        return source === 'api'
          ? [{ severity: 'warning', message: 'The message has no DKIM signature.', place }]
          : [
              {
                severity: 'note',
                message: 'The message has no DKIM signature: the server that forwards it must add one.',
                place,
              },
            ]
      }
      if (dkim.result === 'pass') return []
      const name = `${dkim.selector}._domainkey.${dkim.domain}`
      if (dkim.result === 'no_key')
        return { skipped: `The key ${name} is not one of this instance, and nothing is looked up.` }
      const reason = dkim.reason === null ? '' : ` ${dkim.reason}`
      return [
        { message: `The DKIM signature of ${dkim.domain} does not verify with ${name}.${reason}`, place },
      ]
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
    run({ mail: { type, list_unsubscribe: offered, size_bytes } }) {
      if (size_bytes === 0 || (type !== 'broadcast' && !offered)) return null
      if (!offered)
        return [
          { message: 'The broadcast has no List-Unsubscribe field.', place: { header: 'List-Unsubscribe' } },
        ]
      if (offered.one_click) return []
      return [
        {
          severity: type === 'broadcast' ? 'error' : 'note',
          message: 'List-Unsubscribe does not support one-click unsubscription.',
          place: { header: 'List-Unsubscribe', snippet: offered.urls.join(', ') },
        },
      ]
    },
  },
]
