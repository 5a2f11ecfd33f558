import { maxKeyChars } from '../sending/idempotency.ts'
import type { Route } from './route.ts'

/** The header of routes that send. @param promise  What it has the effect of. */
export function idempotencyHeader(promise: string): NonNullable<Route['headers']> {
  return {
    'Idempotency-Key': {
      description: `At most ${maxKeyChars} characters; ${promise}`,
      maxLength: maxKeyChars,
    },
  }
}
