import { LocalpostError, quote, validationError } from '../../core/errors.ts'
import { exceededBound, maxDepth } from '../../core/json-body.ts'
import { isRecord } from '../../core/members.ts'
import { addressKey, parseAddresses, toMailbox } from '../../mime/headers/addresses.ts'
import { bodyLimits } from '../../server/route.ts'

/**
 * Splits texts that may each be a list of addresses.
 *
 * @returns One address with or without display name each. A text without an address stays, to be refused.
 */
export function splitAddresses(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const found = parseAddresses(text)
    if (found.length < 2) return [text]
    const pieces = text.split(',')
    if (pieces.length === found.length) return pieces.map((piece) => piece.trim())
    return found.map(({ name, address }) => toMailbox(name, address))
  })
}

/** Reads a parameter that is an object in JSON. @throws validation_error */
export function readObject(field: string, json: string): ReadonlyMap<string, unknown> {
  const wrong = (message: string): Error => validationError([{ field, message }])
  if (exceededBound(json, { depth: maxDepth, values: maxValues }) !== null)
    throw wrong(`must have at most ${maxValues} values, nested at most ${maxDepth} levels`)
  let given: unknown
  try {
    given = JSON.parse(json)
  } catch {
    throw wrong(`must be an object in JSON, not ${quote(json)}`)
  }
  if (!isRecord(given)) throw wrong(`must be an object in JSON, not ${quote(json)}`)
  return new Map<string, unknown>(Object.entries(given))
}

const maxValues = 100_000

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
      new Map(Object.entries(values).map(([name, value]) => [name, toText(value)])),
    )
  }
  return byAddress
}

/** A value as text: JSON for what is none. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Fills in `%recipient.name%` for one recipient. */
export interface Personalization {
  /** @returns The text; a name without a value stays as it is written. @throws message_too_large */
  fill(text: string): string
  /** The same, also for undefined. */
  fillMaybe(text: string | undefined): string | undefined
  /** A value of JSON with all of its texts filled in. @throws message_too_large */
  fillAll<T>(value: T): T
}

/** @param room  What all emails of the request may take together. */
export function personalize(values: ReadonlyMap<string, string> | undefined, room: Room): Personalization {
  const fill = (text: string): string => {
    room.take(text.length)
    if (!values || values.size === 0) return text
    return text.replace(placeholder, (written, name: string) => {
      const value = values.get(name) ?? written
      room.take(value.length)
      return value
    })
  }
  return {
    fill,
    fillMaybe: (text) => (text === undefined ? undefined : fill(text)),
    fillAll: <T>(value: T) => filled(value, fill, room) as T,
  }
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
