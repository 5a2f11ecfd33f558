/** The members of a value that another program handed over, which may be a function too; none if it is no object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isObject ? (value as Readonly<Record<string, unknown>>) : {}
}
