/** A message's source, cut into what a reader wants to fold. */
export type SourceBlock =
  | { kind: 'headers'; fields: SourceField[] }
  | { kind: 'boundary'; text: string }
  | { kind: 'body'; lines: string[]; isEncoded: boolean }

export interface SourceField {
  name: string
  /** The value on the line of the name; further lines as they are folded. */
  value: string
  more: string[]
}

/**
 * Cuts RFC 5322 text into header blocks, boundaries and bodies, each line once and in its order: joined again, the
 * blocks are the text. Costs one pass; a part inside another is found by the boundaries that headers name.
 */
export function toBlocks(source: string): SourceBlock[] {
  const lines = source.split(/\r?\n/)
  const blocks: SourceBlock[] = []
  const boundaries = new Set<string>()
  let at = 0
  let isHead = true
  while (at < lines.length) {
    if (isHead) {
      const { fields, end } = readFields(lines, at)
      if (fields.length > 0) blocks.push({ kind: 'headers', fields })
      const boundary = boundaryOf(fields)
      if (boundary !== null && boundaries.size < maxBoundaries) boundaries.add(boundary)
      const isEncoded = isBase64(fields)
      const until = nextBoundary(lines, end, boundaries)
      if (until > end) blocks.push({ kind: 'body', lines: lines.slice(end, until), isEncoded })
      at = until
      isHead = false
    } else {
      const text = lines[at] ?? ''
      blocks.push({ kind: 'boundary', text })
      at++
      const isLast = text.trimEnd().endsWith('--') && !boundaries.has(text.trimEnd().slice(2))
      if (!isLast) isHead = true
      else {
        const until = nextBoundary(lines, at, boundaries)
        if (until > at) blocks.push({ kind: 'body', lines: lines.slice(at, until), isEncoded: false })
        at = until
      }
    }
  }
  return blocks
}

// As deep as mail clients read; a hostile message may name thousands.
const maxBoundaries = 100

function readFields(lines: readonly string[], start: number): { fields: SourceField[]; end: number } {
  const fields: SourceField[] = []
  let at = start
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const last = fields.at(-1)
    if (/^[ \t]/.test(line) && last) last.more.push(line)
    else {
      const colon = line.indexOf(':')
      if (colon < 1 || /[^\x21-\x7e]/.test(line.slice(0, Math.min(colon, 200)))) break
      fields.push({ name: line.slice(0, colon), value: line.slice(colon + 1), more: [] })
    }
  }
  return { fields, end: at }
}

function boundaryOf(fields: readonly SourceField[]): string | null {
  const type = valueOf(fields, 'content-type')
  return /;\s{0,20}boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type)?.slice(1).find(Boolean) ?? null
}

function isBase64(fields: readonly SourceField[]): boolean {
  return valueOf(fields, 'content-transfer-encoding').trim().toLowerCase() === 'base64'
}

function valueOf(fields: readonly SourceField[], name: string): string {
  const field = fields.find((one) => one.name.toLowerCase() === name)
  return field ? [field.value, ...field.more].join(' ').slice(0, 2000) : ''
}

function nextBoundary(lines: readonly string[], start: number, boundaries: ReadonlySet<string>): number {
  if (boundaries.size === 0) return lines.length
  for (let at = start; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (!line.startsWith('--')) continue
    const name = line.trimEnd().slice(2)
    if (boundaries.has(name) || (name.endsWith('--') && boundaries.has(name.slice(0, -2)))) return at
  }
  return lines.length
}
