/**
 * A setting that is kept for the next visit. Storage may be refused, in a private window for example; then there is
 * none.
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
