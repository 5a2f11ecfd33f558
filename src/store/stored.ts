/** A record as read from the disk. */
export type StoredObject = Readonly<Record<string, unknown>>

/** Whether a parsed JSON value is an object. */
export function isObject(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A record's members by name: an interface has no index signature, but a record is nothing else. */
export function membersOf(record: object): StoredObject {
  return record as StoredObject
}
