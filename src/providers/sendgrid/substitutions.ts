import { maxMessageBytes } from '../../attachments/attachments.ts'
import { LocalpostError } from '../../core/errors.ts'
import { escaped } from '../../core/escaped.ts'

/** What replaces each text: null counts as empty. */
export type Substitutions = Readonly<Record<string, string | null>>

/**
 * Replaces texts by others in one pass, so that a value is never searched again. Where two of them begin at one place, the
 * longer one counts.
 *
 * @throws message_too_large before the result has more characters than a message has bytes.
 */
export function substitute(text: string, substitutions: Substitutions): string {
  const values = new Map(Object.entries(substitutions))
  const names = [...values.keys()].sort((one, other) => other.length - one.length)
  if (names.length === 0) return text
  let length = text.length
  return text.replace(new RegExp(names.map(escaped).join('|'), 'g'), (name) => {
    const value = values.get(name) ?? ''
    length += value.length - name.length
    if (length > maxMessageBytes) throw tooLarge()
    return value
  })
}

function tooLarge(): LocalpostError {
  const message = `With its substitutions, the message is larger than ${maxMessageBytes} bytes. Send less, or substitute shorter texts.`
  return new LocalpostError('message_too_large', message)
}
