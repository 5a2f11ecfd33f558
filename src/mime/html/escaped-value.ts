/** A value, escaped for an attribute in double quotes. */
export function escapedValue(value: string): string {
  // Most values have none, which a replacement with a function finds out more slowly.
  return /[&"<>]/.test(value) ? value.replace(/[&"<>]/g, (one) => `&#${one.charCodeAt(0)};`) : value
}
