import type { Notice } from '../options/notice.ts'

/**
 * Passes the warnings of calls of the library to `onNotice`, each text once. A loop with a new warning at each iteration
 * must neither flood the log nor fill the memory, so that they are at most 100, and a last one that says so.
 */
export function createSendWarnings(
  onNotice: (notice: Notice) => void,
): (call: string, warnings: readonly string[]) => void {
  const said = new Set<string>()
  return (call, warnings) => {
    for (const warning of warnings) {
      const text = `${call}: ${warning}.`
      if (said.size > maxNotices || said.has(text)) continue
      said.add(text)
      const limit = `${call}: more than ${maxNotices} different warnings; the others are listed only in requests.list().`
      onNotice({ level: 'warning', message: said.size > maxNotices ? limit : text })
    }
  }
}

const maxNotices = 100
