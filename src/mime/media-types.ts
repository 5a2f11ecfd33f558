/** A well-formed media type in lower case. The text in a message may be anything. */
export function mediaTypeOf(contentType: string | false | undefined): string {
  const type = (contentType || '').toLowerCase()
  return /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(type) ? type : 'application/octet-stream'
}

/**
 * The media type that goes with the extension of a file name.
 *
 * @returns null for a name without one, or with an unknown one.
 */
export async function mediaTypeByName(filename: string): Promise<string | null> {
  const { detectMimeType } = await import('nodemailer/lib/mime-funcs')
  const type = detectMimeType(filename)
  return type && type !== 'application/octet-stream' ? type : null
}
