/** A text with its placeholders filled in, and the names that no variable answered. */
export interface Preview {
  text: string
  missing: string[]
}

/**
 * Fills `{{name}}` in for a look at a template. The server's own rules hold when it is sent; this shows the same for
 * plain values.
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
