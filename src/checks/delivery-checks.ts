import type { CheckRow } from './check.ts'
import { unsubscribeCheck } from './unsubscribe-check.ts'

/** Checks of the facts that mail servers of recipients evaluate. */
export const deliveryChecks: readonly CheckRow[] = [
  {
    id: 'dkim',
    title: 'The DKIM signature is valid',
    headline: 'No valid DKIM signature',
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
  unsubscribeCheck,
]
