import { LocalpostError } from '../../core/errors.ts'
import { parseAddresses } from '../../mime/headers/addresses.ts'
import type { InnerSuppressions } from '../../sending/suppressions.ts'
import type { SendingRequest } from '../../sending/types.ts'
import type { PostmarkCause } from './face.ts'

/** The recipients of an email that are on the suppression list, and whether there are others. */
interface Inactive {
  readonly addresses: readonly string[]
  readonly areAll: boolean
}

/** Finds the recipients of a request that are on the suppression list. */
export function inactiveOf(
  { to, cc, bcc }: SendingRequest,
  suppressions: Pick<InnerSuppressions, 'has' | 'isEmpty'>,
): Inactive {
  if (suppressions.isEmpty()) return { addresses: [], areAll: false }
  const recipients = [to, cc, bcc]
    .flat()
    .flatMap((text) => (text === undefined ? [] : parseAddresses(text)))
    .map(({ address }) => address.toLowerCase())
  const addresses = [...new Set(recipients.filter((address) => suppressions.has(address)))]
  return { addresses, areAll: addresses.length > 0 && addresses.length === new Set(recipients).size }
}

/** The error of an email whose recipients are all inactive. Clients read the addresses from its message. */
export function inactiveError({ addresses }: Inactive): LocalpostError {
  const message = `You tried to send to recipients that have all been marked as inactive. Found inactive addresses: ${addresses.join(', ')}. Inactive recipients are on the suppression list: remove them there, or activate them.`
  const cause: PostmarkCause = 'inactive_recipients'
  return new LocalpostError('validation_error', message, { cause })
}

/** What the answer says of an email that not all recipients get. */
export function inactiveNote({ addresses }: Inactive): string {
  return `Message OK, but will not deliver to these inactive addresses: ${addresses.join(', ')}. Inactive recipients are on the suppression list.`
}
