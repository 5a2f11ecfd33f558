/** Whether a value is an object with members, and no array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is an object with members of its own, and no array, RegExp or Date. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  // An object of another realm, such as that of a Jest test, has another `Object.prototype`.
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** The members of a value that another program handed over, which may be a function too; none if it is no object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isObject ? (value as Readonly<Record<string, unknown>>) : {}
}
