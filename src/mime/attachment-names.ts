/** What the name of an attachment depends on. */
interface NamedFile {
  filename: string | null
  content_type: string
}

/**
 * The names of attachments, for people and for saving: the declared ones, and for others one with the usual extension of the
 * type, such as `invite.ics` or `attachment-1.png`. The number is the position among the attachments.
 */
export function attachmentNames(attachments: readonly NamedFile[]): string[] {
  const declared = new Set(attachments.map(({ filename }) => filename))
  const used = new Map<string, number>()
  return attachments.map(({ filename, content_type }, index) => {
    if (filename !== null) return filename
    const [base, extension] = wholeNames.get(content_type) ?? []
    if (base === undefined) return `attachment-${index}${extensionOf(content_type)}`
    const nameOf = (count: number): string => `${base}${count === 1 ? '' : `-${count}`}.${extension}`
    let count = (used.get(base) ?? 0) + 1
    while (declared.has(nameOf(count))) count++
    used.set(base, count)
    return nameOf(count)
  })
}

/** The name of a leaf of the MIME tree. */
export function partName({ filename, content_type }: NamedFile, index: number): string {
  return filename ?? `part-${index}${extensionOf(content_type)}`
}

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

/** The names that mail programs give files of these types. */
const wholeNames: ReadonlyMap<string, readonly [base: string, extension: string]> = new Map([
  ['text/calendar', ['invite', 'ics']],
  ['application/ics', ['invite', 'ics']],
  ['message/rfc822', ['message', 'eml']],
  ['message/global', ['message', 'eml']],
  ['application/ms-tnef', ['winmail', 'dat']],
  ['application/vnd.ms-tnef', ['winmail', 'dat']],
  ['application/pgp-signature', ['signature', 'asc']],
  ['application/pkcs7-signature', ['smime', 'p7s']],
  ['application/x-pkcs7-signature', ['smime', 'p7s']],
  ['application/pkcs7-mime', ['smime', 'p7m']],
  ['application/x-pkcs7-mime', ['smime', 'p7m']],
])

/** With its dot; `""` for a type without a usual one. */
function extensionOf(contentType: string): string {
  const extension = wholeNames.get(contentType)?.[1] ?? extensions.get(contentType)
  return extension === undefined ? '' : `.${extension}`
}

/** By the type, as https://www.iana.org/assignments/media-types and common use have them. */
const extensions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    asc: ['application/pgp-encrypted', 'application/pgp-keys'],
    avif: ['image/avif'],
    bmp: ['image/bmp', 'image/x-ms-bmp'],
    css: ['text/css'],
    csv: ['text/csv'],
    doc: ['application/msword'],
    docx: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    gif: ['image/gif'],
    gz: ['application/gzip', 'application/x-gzip'],
    heic: ['image/heic'],
    html: ['text/html', 'text/x-amp-html', 'application/xhtml+xml'],
    ico: ['image/x-icon', 'image/vnd.microsoft.icon'],
    jpg: ['image/jpeg', 'image/jpg', 'image/pjpeg'],
    js: ['text/javascript', 'application/javascript'],
    json: ['application/json', 'application/ld+json'],
    m4a: ['audio/mp4'],
    md: ['text/markdown'],
    mp3: ['audio/mpeg', 'audio/mp3'],
    mp4: ['video/mp4'],
    odt: ['application/vnd.oasis.opendocument.text'],
    ogg: ['audio/ogg'],
    pdf: ['application/pdf', 'application/x-pdf'],
    pkpass: ['application/vnd.apple.pkpass'],
    png: ['image/png', 'image/x-png'],
    ppt: ['application/vnd.ms-powerpoint'],
    pptx: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    rtf: ['text/rtf', 'application/rtf', 'text/richtext'],
    svg: ['image/svg+xml'],
    tar: ['application/x-tar'],
    tif: ['image/tiff'],
    txt: [
      'text/plain',
      'text/enriched',
      'text/rfc822-headers',
      'message/delivery-status',
      'message/global-delivery-status',
      'message/disposition-notification',
      'message/feedback-report',
    ],
    vcf: ['text/vcard', 'text/x-vcard', 'text/directory'],
    wav: ['audio/wav', 'audio/x-wav'],
    webm: ['video/webm'],
    webp: ['image/webp'],
    xls: ['application/vnd.ms-excel'],
    xlsx: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    xml: ['text/xml', 'application/xml'],
    yaml: ['application/yaml', 'text/yaml'],
    zip: ['application/zip', 'application/x-zip-compressed'],
  }).flatMap(([extension, types]) => types.map((type): [string, string] => [type, extension])),
)
