import { LocalpostError, type FieldError } from '../core/errors.ts'
import type { SendingRequest } from '../sending/types.ts'
import type { Translated } from './translation.ts'

/** Translates one email of a batch, in which a wrong one does not keep the others from being sent. */
export function translateOne(toRequest: () => SendingRequest): Translated {
  try {
    return { request: toRequest() }
  } catch (error) {
    if (error instanceof LocalpostError) return { error }
    throw error
  }
}

/** The tracking of an email: undefined if neither is given, so that the domain's settings apply. */
export function trackingOf(
  opens: boolean | undefined,
  clicks: boolean | undefined,
): SendingRequest['tracking'] {
  return opens === undefined && clicks === undefined ? undefined : { opens, clicks }
}

/** An object of some entries; undefined without any. */
export function recordOf(entries: Iterable<readonly [string, string]>): Record<string, string> | undefined {
  const all = [...entries]
  return all.length === 0 ? undefined : Object.fromEntries(all)
}

const proto = '__proto__'

/**
 * Refuses the name `__proto__`, as the core does. A zod schema would drop it silently.
 *
 * @param at  The path of the object in the body.
 */
export function checkProto(body: unknown, at: readonly (string | number)[], errors: FieldError[]): void {
  let value = body
  for (const step of at)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, proto)) return
  const field = at
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i > 0 ? `.${step}` : step))
    .join('')
  errors.push({ field, message: `must not have the name "${proto}"` })
}
