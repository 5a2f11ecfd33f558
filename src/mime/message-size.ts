/** Largest message after encoding, in bytes. */
export const maxMessageBytes = 40_000_000

/**
 * How many bytes fit into this many characters of base64 in lines: 57 bytes take a line of 76 characters and its CRLF. It may
 * be up to 3 bytes too many, since the last line is counted in part; `outbox/write.ts` measures the whole message.
 *
 * @param characters  Below 0, nothing fits.
 */
export function decodedSize(characters: number): number {
  return Math.max(0, Math.floor((characters / 78) * 57))
}

/** How many bytes a part of this size takes in base64 with a CRLF after each line of up to 76 characters, also the last one. */
export function encodedSize(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4
  return characters + Math.ceil(characters / 76) * 2
}
