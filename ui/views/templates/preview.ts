/** A text with its placeholders filled in, and the names that no variable answered. */
export interface Preview {
  text: string
  missing: string[]
}

/**
 * Fills in `{{name}}` for the preview of a template. For plain values the result is that of the server, which fills in
 * what is sent.
 */
export function preview(source: string, variables: Readonly<Record<string, string>>): Preview {
  const missing = new Set<string>()
  const text = source.replace(placeholder, (whole, name: string) => {
    if (Object.hasOwn(variables, name)) return variables[name] ?? ''
    missing.add(name)
    return whole
  })
  return { text, missing: [...missing] }
}

/** The names of the placeholders, each once, in order of appearance. */
export function placeholdersOf(source: string): string[] {
  return preview(source, {}).missing
}

/** As the server has it. */
export const placeholder = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g
