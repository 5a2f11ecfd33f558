/** How deep a request may be nested; what is deeper overflows the stack of code that walks it. */
export const maxDepth = 100

/** Whether arrays and objects are nested deeper than so many levels; a value that contains itself is nested without end. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
  return members.some((member) => isDeeperThan(levels - 1, member))
}
