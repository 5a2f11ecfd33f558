import { crc32 } from 'node:zlib'

/** The text of a JSON object whose last member is a checksum of everything before it, and a line feed. */
export function sealed(members: object): string {
  const body = JSON.stringify(members).slice(0, -1)
  return `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}\n`
}

/** Whether these are the bytes of a text of {@link sealed}, unchanged. */
export function isSealed(bytes: Buffer): boolean {
  const footer = sealForm.exec(bytes.toString('latin1'))
  if (footer?.[1] === undefined) return false
  return crc32(bytes.subarray(0, footer.index)) === Number.parseInt(footer[1], 16)
}

const sealForm = /,"crc":"([0-9a-f]{8})"\}\n$/
