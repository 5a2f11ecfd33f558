/**
 * A file name that is safe to show and to offer for saving: the last path segment without control characters and
 * without marks that change the direction of text (`exe.fdp` shown as `pdf.exe`), at most 255 characters.
 *
 * @returns null if nothing is left.
 */
export function displayFilename(filename: string | undefined): string | null {
  const name = (filename ?? '')
    .slice(0, 4096)
    .replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g, '')
    .split(/[/\\]/)
    .at(-1)
    ?.trim()
    .slice(-255)
  return !name || name === '.' || name === '..' ? null : name
}
