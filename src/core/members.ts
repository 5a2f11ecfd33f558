/** Whether a value is an object with members, and no array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of a value that another program handed over, which may be a function too; none if it is no object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isObject ? (value as Readonly<Record<string, unknown>>) : {}
}
