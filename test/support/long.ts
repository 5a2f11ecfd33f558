/** Whether each long series runs in full, as in `npm run test:all`; `npm test` runs a sample of it. */
export const isLong = process.env['LOCALPOST_LONG'] === '1'

/** The members of a series to run: all in the long variant, otherwise `count` of them, evenly spaced. */
export function sampleOf<T>(all: readonly T[], count: number): readonly T[] {
  if (isLong || count >= all.length) return all
  const distance = (all.length - 1) / Math.max(count - 1, 1)
  return Array.from({ length: count }, (_, n) => all[Math.round(n * distance)]).filter(
    (one) => one !== undefined,
  )
}

/** The number of rounds: the value of the variable, else the long or the short number. */
export function roundsOf(variable: string, { short, long }: { short: number; long: number }): number {
  return Number(process.env[variable] ?? (isLong ? long : short))
}
