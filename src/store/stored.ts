/** A record as read from the disk. */
export type StoredObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
