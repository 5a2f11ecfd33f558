import { createHash } from 'node:crypto'

/** A random UUID. @param bytes  16 random ones, which are changed. @see RFC 9562 section 5.4 */
export function randomUuid(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return withDashes(bytes.toString('hex'))
}

/** A UUID made from a text: the same text always gives the same UUID. */
export function uuidOf(text: string): string {
  return withDashes(createHash('sha256').update(text).digest('hex').slice(0, 32))
}

function withDashes(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
