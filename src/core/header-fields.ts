/** The value of the first header field of a name, which may have any case; undefined if there is none. */
export function fieldOf<Value>(
  fields: readonly (readonly [name: string, value: Value])[],
  name: string,
): Value | undefined {
  const wanted = name.toLowerCase()
  return fields.find(([written]) => written.toLowerCase() === wanted)?.[1]
}

/** The values of all header fields of a name, in their order. */
export function fieldsOf(
  fields: readonly (readonly [name: string, value: string])[],
  name: string,
): string[] {
  const wanted = name.toLowerCase()
  return fields.filter(([written]) => written.toLowerCase() === wanted).map(([, value]) => value)
}
