import { LocalpostError, quote, validationError } from '../../core/errors.ts'
import { isRecord } from '../../core/members.ts'
import { addressKey } from '../../mime/headers/addresses.ts'
import { bodyLimits } from '../../server/route.ts'
import { readObject, parameterText } from './json-parameter.ts'

/** The variables of each recipient, by the key of its address. */
export type RecipientVariables = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Reads `recipient-variables`. An address that is no recipient is not used. @throws validation_error */
export function readRecipientVariables(json: string): RecipientVariables {
  const byAddress = new Map<string, ReadonlyMap<string, string>>()
  for (const [address, values] of readObject('recipient-variables', json)) {
    if (!isRecord(values))
      throw validationError([
        {
          field: 'recipient-variables',
          message: `must have an object for ${quote(address)}, not ${quote(values)}`,
        },
      ])
    byAddress.set(
      addressKey(address),
      new Map(Object.entries(values).map(([name, value]) => [name, parameterText(value)])),
    )
  }
  return byAddress
}

/**
 * Makes the function that fills `%recipient.name%` into all texts of a value for one recipient. A name without a value stays as
 * it is written.
 *
 * @param room  What all emails of the request may take together. The function throws message_too_large if they take more.
 */
export function personalize(values: ReadonlyMap<string, string> | undefined, room: Room): <T>(value: T) => T {
  const fill = (text: string): string => {
    room.take(text.length)
    if (!values || values.size === 0) return text
    return text.replace(placeholder, (written, name: string) => {
      const value = values.get(name) ?? written
      room.take(value.length)
      return value
    })
  }
  return <T>(value: T) => filled(value, fill, room) as T
}

function filled(value: unknown, fill: (text: string) => string, room: Room): unknown {
  room.take(valueBytes)
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((one) => filled(one, fill, room))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, one]): [string, unknown] => {
    room.take(name.length)
    return [name, filled(one, fill, room)]
  })
  return Object.fromEntries(members)
}

/** About what a value takes in memory, however short it is. */
const valueBytes = 32

const placeholder = /%recipient\.([^%\r\n]{1,200})%/g

/** Each recipient has all of the content, so a short request could become gigabytes. */
export class Room {
  #taken = 0

  /** @throws message_too_large */
  take(size: number): void {
    this.#taken += size
    if (this.#taken <= bodyLimits.large) return
    const message = `The emails of all recipients together take more than ${bodyLimits.large} bytes. Send them in several requests.`
    throw new LocalpostError('message_too_large', message)
  }
}
