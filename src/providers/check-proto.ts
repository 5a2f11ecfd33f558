import type { FieldError } from '../core/errors.ts'

const proto = '__proto__'

/**
 * Refuses the name `__proto__`, as the core does: a schema leaves it out without a word.
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
