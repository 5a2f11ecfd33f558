/**
 * A setting that is kept for the next visit. Storage may be refused, for example in a private window; then it is null.
 *
 * @returns The stored text; null if there is none.
 */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(`localpost.${name}`)
  } catch {
    return null
  }
}

/** Keeps a setting for the next visit, if storage is allowed; null removes it. */
export function writeStored(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`localpost.${name}`)
    else localStorage.setItem(`localpost.${name}`, value)
  } catch {
    return
  }
}
