/** Largest message after encoding, in bytes. */
export const maxMessageBytes = 40_000_000

/** How many bytes fit into this many characters of base64 in lines: 57 bytes take a line of 76 characters and its end. */
export function decodedSize(characters: number): number {
  return Math.max(0, Math.floor((characters / 78) * 57))
}

/** How many bytes a part of this size takes in base64 with line breaks. */
export function encodedSize(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4
  return characters + Math.ceil(characters / 76) * 2
}
