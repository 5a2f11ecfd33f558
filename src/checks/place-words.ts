import type { Place } from './types.ts'

/** Where a finding is, as `Subject` or `HTML, line 3`. */
export function placeWords({ part, header, line }: Place): string {
  return header ?? `${part === 'html' ? 'HTML' : 'text'}, line ${line}`
}
