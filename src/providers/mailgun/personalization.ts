import { validationError } from '../../core/errors.ts'
import { isRecord } from '../../core/members.ts'
import { quote } from '../../core/quote.ts'
import { addressKey } from '../../mime/headers/addresses.ts'
import type { ContentBudget } from '../content-budget.ts'
import { readObject, parameterText } from './json-parameter.ts'

/** The variables of each recipient, by the key of its address. */
export type RecipientVariables = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Reads `recipient-variables`. An address that is no recipient is not used. @throws validation_error */
export function readRecipientVariables(json: string): RecipientVariables {
  const byAddress = new Map<string, ReadonlyMap<string, string>>()
  for (const [address, values] of readObject('recipient-variables', json)) {
    if (!isRecord(values)) {
      const message = `must have an object for ${quote(address)}, not ${quote(values)}`
      throw validationError([{ field: 'recipient-variables', message }])
    }
    const texts = Object.entries(values).map(([name, value]) => [name, parameterText(value)] as const)
    byAddress.set(addressKey(address), new Map(texts))
  }
  return byAddress
}

/**
 * Makes the function that fills `%recipient.name%` into all texts of a value for one recipient. A name without a value stays as
 * it is written.
 *
 * @param budget  The result is taken from it.
 * @throws message_too_large, also by the function.
 */
export function personalize(
  values: ReadonlyMap<string, string> | undefined,
  budget: ContentBudget,
): <T>(value: T) => T {
  const fill = (text: string): string => {
    budget.take(text.length)
    if (!values || values.size === 0) return text
    return text.replace(placeholder, (written, name: string) => {
      const value = values.get(name) ?? written
      budget.take(value.length)
      return value
    })
  }
  return <T>(value: T) => filled(value, fill, budget) as T
}

function filled(value: unknown, fill: (text: string) => string, budget: ContentBudget): unknown {
  budget.take(valueBytes)
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((one) => filled(one, fill, budget))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, one]): [string, unknown] => {
    budget.take(name.length)
    return [name, filled(one, fill, budget)]
  })
  return Object.fromEntries(members)
}

/** About what a value takes in memory, however short it is. */
const valueBytes = 32

const placeholder = /%recipient\.([^%\r\n]{1,200})%/g
