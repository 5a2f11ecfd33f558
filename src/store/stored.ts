/** A record as read from the disk. */
export type StoredObject = Readonly<Record<string, unknown>>

/** Whether a parsed JSON value is an object. */
export function isObject(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
