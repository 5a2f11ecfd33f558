/**
 * The placeholders that were not filled in: in subject, text or HTML, as written, each once, in order of appearance.
 * Those are `{{ name }}`, and the forms of other engines: `{% if %}`, `<%= name %>`, `%recipient.name%`, `*|NAME|*`,
 * `${name}`; and `[object Object]`.
 *
 * @returns At most 100; only the first 1 MB of each part is searched.
 */
export function unrenderedPlaceholders(mail: Bodies): string[] {
  return findPlaceholders(mail).map(({ written }) => written)
}

/** The parts of a mail that show placeholders. */
interface Bodies {
  subject: string
  text: string
  html: string
}

/** A placeholder where it appears first. */
export interface PlacedPlaceholder {
  written: string
  part: keyof Bodies
  offset: number
}

/** {@link unrenderedPlaceholders} with their places. */
export function findPlaceholders(mail: Bodies): PlacedPlaceholder[] {
  const found = new Map<string, PlacedPlaceholder>()
  for (const part of ['subject', 'text', 'html'] as const) {
    for (const { 0: written, index: offset } of mail[part].slice(0, lookAt).matchAll(placeholder)) {
      if (found.size >= maxFound) return [...found.values()]
      if (!found.has(written)) found.set(written, { written, part, offset })
    }
  }
  return [...found.values()]
}

const lookAt = 1_000_000
const maxFound = 100

// Matches more than is rendered: a name with an invalid character is never filled in. The length is limited, so that a
// mail full of opening braces takes linear time.
const placeholder = new RegExp(
  [
    '\\{\\{[^{}\\n<>]{1,100}\\}\\}',
    '\\{%[^{}\\n<>]{1,100}%\\}',
    '(?:<|&lt;)%[^<>\\n]{1,100}%(?:>|&gt;)',
    '%recipient\\.[\\w.-]{1,60}%',
    '\\*\\|[\\w:. -]{1,60}\\|\\*',
    '\\$\\{[A-Za-z_][\\w.]{0,60}\\}',
    '\\[object Object\\]',
  ].join('|'),
  'g',
)
