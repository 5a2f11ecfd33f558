import { LocalpostError } from '../core/errors.ts'
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

/** The tracking of an email: absent where neither is given, so that the settings of the domain count. */
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
