/** The placeholders that a mail still shows, such as `{{name}}`, each once. Only the beginning of a long text is read. */
export function openPlaceholders(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => text.slice(0, searchedLength).match(form) ?? [])
  return [...new Set(found)].slice(0, mostPlaceholders)
}

const form = /\{\{\{?[^{}\n]{1,60}\}?\}\}|\{%[^{}%\n]{1,60}%\}/g
const searchedLength = 200_000
const mostPlaceholders = 8
