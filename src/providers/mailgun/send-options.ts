import type { FieldError } from '../../core/errors.ts'
import { maxMetadata } from '../../sending/schema.ts'
import type { SendingRequest } from '../../sending/types.ts'
import { recordOf, trackingOf } from '../request-parts.ts'
import type { TranslationFacts } from '../translation.ts'
import { testModeTag } from './conventions.ts'
import { readObject, parameterText } from './json-parameter.ts'
import type { MailgunMime, MailgunSend } from './send-schema.ts'
import { readDeliveryTime } from './times.ts'

// What both ways to send have in common: the options, and the values that stay with an email.

/** The options of an email. @param errors  Gets those of wrong options. */
export function optionsOf(
  given: MailgunSend | MailgunMime,
  { now, relays }: TranslationFacts,
  errors: FieldError[],
): Pick<SendingRequest, 'tags' | 'send_at' | 'tracking'> {
  const at = given['o:deliverytime']
  const send_at = at === undefined ? undefined : readDeliveryTime(at, now)
  if (typeof send_at === 'object') errors.push({ field: 'o:deliverytime', message: send_at.problem })
  if (yesOrNo(given['o:testmode']) && relays)
    errors.push({
      field: 'o:testmode',
      message: 'is not possible: all mail of this instance goes to a relay',
    })
  const both = yesOrNo(given['o:tracking'])
  const opens = yesOrNo(given['o:tracking-opens']) ?? both
  const clicks = yesOrNo(given['o:tracking-clicks']) ?? both
  return {
    tags: given['o:tag'],
    send_at: typeof send_at === 'number' ? send_at : undefined,
    tracking: trackingOf(opens, clicks),
  }
}

/** Undefined if it is not given. `htmlonly` is a yes: links of texts are never tracked here. */
function yesOrNo(given: string | undefined): boolean | undefined {
  return given === undefined ? undefined : given !== 'no' && given !== 'false'
}

/** The header field with values that stay with the email, in JSON. */
export const variablesHeader = 'x-mailgun-variables'

/** The values that stay with the email: those of the form, and those that a header field has in JSON. */
export function customOf(
  variables: ReadonlyMap<string, string>,
  headers: Iterable<readonly [name: string, value: string]>,
): Map<string, unknown> {
  const custom = new Map<string, unknown>(variables)
  for (const [name, json] of headers)
    if (name.toLowerCase() === variablesHeader)
      for (const [key, value] of readObject(`h:${name}`, json)) custom.set(key, value)
  return custom
}

/** Checks the values that stay with the email, before each recipient gets a copy of them. */
export function checkCustom(custom: ReadonlyMap<string, unknown>, errors: FieldError[]): void {
  if (custom.size > maxMetadata)
    errors.push({ field: 'v:', message: `must have at most ${maxMetadata} names, not ${custom.size}` })
  if (custom.has(testModeTag))
    errors.push({
      field: `v:${testModeTag}`,
      message: `has a name that Localpost needs itself. Give ${testModeTag}, or another name`,
    })
}

/** The metadata of an email. */
export function metadataOf(
  given: MailgunSend | MailgunMime,
  custom: ReadonlyMap<string, unknown>,
): Record<string, string> | undefined {
  const metadata = [...custom].map(([name, value]): [string, string] => [name, parameterText(value)])
  if (yesOrNo(given['o:testmode'])) metadata.push([testModeTag, 'yes'])
  return recordOf(metadata)
}

/** An empty list counts as absent. */
export function orNothing(texts: string[]): string[] | undefined {
  return texts.length > 0 ? texts : undefined
}
