import namesByType from './attachment-names.json' with { type: 'json' }

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
    const { base, extension } = usualName(content_type)
    if (base === '') return `attachment-${index}${extension}`
    const nameOf = (count: number): string => `${base}${count === 1 ? '' : `-${count}`}${extension}`
    let count = (used.get(base) ?? 0) + 1
    while (declared.has(nameOf(count))) count++
    used.set(base, count)
    return nameOf(count)
  })
}

/** The name of a leaf of the MIME tree. */
export function partName({ filename, content_type }: NamedFile, index: number): string {
  return filename ?? `part-${index}${usualName(content_type).extension}`
}

/**
 * By media type, the name that mail programs give such a file, or only its extension; as
 * https://www.iana.org/assignments/media-types and common use have them.
 */
const usualNames: ReadonlyMap<string, string> = new Map(Object.entries(namesByType))

/** The extension has its dot; both are `""` for a type without a usual one. */
function usualName(contentType: string): { base: string; extension: string } {
  const name = usualNames.get(contentType) ?? ''
  const dot = name.indexOf('.')
  return { base: name.slice(0, Math.max(dot, 0)), extension: name.slice(Math.max(dot, 0)) }
}
