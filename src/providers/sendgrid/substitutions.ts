import { LocalpostError } from '../../core/errors.ts'
import { escaped } from '../../core/text.ts'

/** What replaces each text: null counts as empty. */
export type Substitutions = Readonly<Record<string, string | null>>

/**
 * Replaces texts by others in one pass, so that a value is never searched again. Where two of them begin at one place, the
 * longer one counts.
 *
 * @param room  How many characters all results of a request may have together; those of this one are taken from it.
 * @throws message_too_large before the result has more characters than there is room for.
 */
export function substitute(text: string, substitutions: Substitutions, room: Room): string {
  const values = new Map(Object.entries(substitutions))
  const names = [...values.keys()].sort((one, other) => other.length - one.length)
  if (names.length === 0) return text
  const take = (count: number): void => {
    room.left -= count
    if (room.left < 0) throw tooLarge()
  }
  take(text.length)
  return text.replace(new RegExp(names.map(escaped).join('|'), 'g'), (name) => {
    const value = values.get(name) ?? ''
    take(value.length - name.length)
    return value
  })
}

/** Room for the results of a request. */
export interface Room {
  left: number
}

function tooLarge(): LocalpostError {
  const message =
    'With their substitutions, the emails of the request take too much together. Send them in several requests, or substitute shorter texts.'
  return new LocalpostError('message_too_large', message)
}
