/** A value, escaped for an attribute in double quotes. */
export function escapedValue(value: string): string {
  // Most have no such character, and testing for one is faster than replacing with a function.
  return /[&"<>]/.test(value) ? value.replace(/[&"<>]/g, (one) => `&#${one.charCodeAt(0)};`) : value
}
