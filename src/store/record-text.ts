// Changes of the JSON of a record.

/**
 * The text of a record with another value of a member, without parsing it; null if the text has the name in another place too, or
 * was not written by this program, so that only parsing it tells where the member is.
 *
 * @param from  The present value.
 */
export function withMember(
  text: string,
  name: string,
  from: number | boolean,
  to: number | boolean,
): string | null {
  const key = `"${name}"`
  const at = text.indexOf(key)
  const member = `${key}:${from}`
  if (at < 0 || text.includes(key, at + 1) || !text.startsWith(member, at)) return null
  const rest = text.slice(at + member.length)
  return /^[,}]/.test(rest) ? `${text.slice(0, at)}${key}:${to}${rest}` : null
}

/** The text of the same record with another version. */
export function withVersion(text: string, version: number): string {
  const record: unknown = JSON.parse(text)
  return JSON.stringify({ ...(record as object), version })
}
