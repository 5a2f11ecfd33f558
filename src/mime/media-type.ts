/**
 * The media type that goes with the extension of a file name.
 *
 * @returns null for a name without one, or with one that stands for no type.
 */
export async function mediaTypeByName(filename: string): Promise<string | null> {
  const { detectMimeType } = await import('nodemailer/lib/mime-funcs')
  const type = detectMimeType(filename)
  return type && type !== 'application/octet-stream' ? type : null
}
