/** Largest message after encoding, in bytes. */
export const maxMessageBytes = 40_000_000

/** How many bytes a part of this size takes in base64 with line breaks. */
export function encodedSize(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4
  return characters + Math.ceil(characters / 76) * 2
}
