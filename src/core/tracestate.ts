/**
 * Reads the value of a `tracestate` header, which tracers keep beside `traceparent` for themselves.
 *
 * @param value  Of several headers all values, in order, with commas between them.
 * @returns Its entries without space around them. Of a long one only some: at most 512 characters, without the entries of
 *   more than 128 characters first, then without the last ones. Undefined for none, and for a value that is to be ignored.
 * @see https://www.w3.org/TR/trace-context/#tracestate-header
 */
export function readTracestate(value: string | null | undefined): string | undefined {
  if (!value || value.length > longestRead) return undefined
  const entries = value
    .split(',')
    .map((entry) => entry.replace(/^[ \t]+/, ''))
    .map((entry) => entry.slice(0, endOf(entry)))
    .filter((entry) => entry !== '')
  const keys = new Set(entries.map((entry) => entry.slice(0, entry.indexOf('='))))
  if (entries.length > mostEntries || keys.size < entries.length) return undefined
  if (!entries.every((entry) => form.test(entry))) return undefined
  return shortened(entries).join(',') || undefined
}

/** Where the space after an entry begins. */
function endOf(entry: string): number {
  let end = entry.length
  while (entry[end - 1] === ' ' || entry[end - 1] === '\t') end--
  return end
}

function shortened(entries: readonly string[]): readonly string[] {
  const lengthOf = (some: readonly string[]): number => some.join(',').length
  if (lengthOf(entries) <= longest) return entries
  const kept = [...entries]
  for (let at = kept.length - 1; at >= 0 && lengthOf(kept) > longest; at--)
    if ((kept[at] ?? '').length > longEntry) kept.splice(at, 1)
  while (lengthOf(kept) > longest) kept.pop()
  return kept
}

const form = /^[a-z\d][a-z\d_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/
const mostEntries = 32
const longest = 512
const longEntry = 128
/** 32 entries of the greatest length, with space around them. */
const longestRead = 32 * 520
