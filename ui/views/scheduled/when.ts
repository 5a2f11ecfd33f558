/** How long it is until a time, in words: `in 3 hours`. */
export function untilWords(time: number, now: number): string {
  const left = time - now
  if (left < second * 5) return 'now'
  const [unit, size] = units.find(([, one]) => left >= one * 1.5) ?? (['second', second] as const)
  return relative.format(Math.round(left / size), unit)
}

/** A time as a field of the type `datetime-local` takes it, in the time zone of the browser. */
export function inputOf(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

const second = 1000
const units = [
  ['day', 24 * 60 * 60 * second],
  ['hour', 60 * 60 * second],
  ['minute', 60 * second],
  ['second', second],
] as const
const relative = new Intl.RelativeTimeFormat('en-GB')
