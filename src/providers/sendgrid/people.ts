import { type FieldError, quote } from '../../core/errors.ts'
import { addressKey, normalizeAddress } from '../../mime/headers/addresses.ts'
import { headerFault } from '../../sending/recipients.ts'
import { maxRecipients, type SendGridAddress, type SendGridMail } from './send-schema.ts'

/** Writes an address as the core takes it: `Ada <ada@example.com>`. */
export type Writer = (address: SendGridAddress, field: string) => string

/** @param errors  Receives one entry per address that is none. */
export function createWriter(errors: FieldError[]): Writer {
  return ({ email, name = '' }, field) => {
    const checked = normalizeAddress(email)
    if ('problem' in checked)
      errors.push({
        field: `${field}.email`,
        message: `Does not contain a valid address. ${quote(email)} ${checked.problem}.`,
      })
    const fault = headerFault(name)
    if (fault !== null) errors.push({ field: `${field}.name`, message: `${quote(name)} ${fault}` })
    return name === '' ? email : `${toPhrase(name)} <${email}>`
  }
}

/** A display name as it is written before an address. @see RFC 5322 section 3.2.5 */
function toPhrase(name: string): string {
  return /^[\w-]+(?: [\w-]+)*$/.test(name) ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`
}

/** Checks how many recipients there are, and that none of them gets an email twice. */
export function checkRecipients({ personalizations }: SendGridMail, errors: FieldError[]): void {
  let count = 0
  for (const [i, { to, cc = [], bcc = [] }] of personalizations.entries()) {
    count += to.length + cc.length + bcc.length
    const seen = new Set<string>()
    const twice = Object.entries({ to, cc, bcc }).flatMap(([name, list]) =>
      list.flatMap(({ email }) => {
        const key = addressKey(email)
        const isKnown = seen.has(key)
        seen.add(key)
        return isKnown ? { name, email } : []
      }),
    )[0]
    if (twice)
      errors.push({
        field: `personalizations[${i}]`,
        message: `Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [${twice.email.slice(0, 320)}] in the personalizations.${i}.${twice.name} field.`,
      })
  }
  if (count > maxRecipients)
    errors.push({
      field: 'personalizations',
      message: `There is a limit of ${maxRecipients} total recipients (to + cc + bcc) per request. You have provided ${count}.`,
    })
}
