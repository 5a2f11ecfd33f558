import { onScopeDispose, ref, type Ref } from 'vue'

/** The present moment, in Unix milliseconds, renewed twice a minute so that relative times stay true. */
export function useNow(): Readonly<Ref<number>> {
  const now = ref(Date.now())
  const timer = setInterval(() => (now.value = Date.now()), 30_000)
  onScopeDispose(() => clearInterval(timer))
  return now
}

/** A time as shown in lists: `now`, `5 min`, `14:05`, `Yesterday`, `Mon`, `3 Mar`, `3 Mar 2024`. */
export function shortTime(at: number, now: number): string {
  const days = dayOf(now) - dayOf(at)
  if (days === 0 || now - at < 60 * minute) return timeOfDay(at, now)
  if (days === 1) return 'Yesterday'
  if (days < 7) return weekday.format(at)
  return dayIn(at, now)
}

/** A time under the heading of its day: `now`, `5 min`, `14:05`. */
export function timeOfDay(at: number, now: number): string {
  const ageMs = now - at
  if (ageMs < minute) return 'now'
  return ageMs < 60 * minute ? `${Math.floor(ageMs / minute)} min` : clock.format(at)
}

/** A day as a heading, in the time zone of the page: `Today`, `Yesterday`, `Monday`, `Tuesday 3 March`, `3 March 2024`. */
export function dayWords(at: number, now: number): string {
  const days = dayOf(now) - dayOf(at)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days > 1 && days < 7) return longWeekday.format(at)
  return (isSameYear(at, now) ? longDay : longDayYear).format(at)
}

/** A moment in full: `Fri, 20 Nov 2026, 17:57:24`. */
export function fullTime(at: number): string {
  return full.format(at)
}

/**
 * The time of day to the millisecond, for events that follow each other closely. Includes the day if it is not the day of
 * `beside`.
 *
 * @param beside  The time that is shown next to it. Default: now.
 */
export function preciseTime(at: number, beside: number = Date.now()): string {
  const time = `${precise.format(at)}.${String(at % 1000).padStart(3, '0')}`
  return dayOf(at) === dayOf(beside) ? time : `${dayIn(at, beside)}, ${time}`
}

/** The time since a beginning, rounded down: `+12 ms`, `+1.4 s`, `+3 min`, `+2 h`, `+4 d`. */
export function elapsed(ms: number): string {
  if (ms < 1000) return `+${ms} ms`
  if (ms < minute) return `+${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  if (ms < 60 * minute) return `+${Math.floor(ms / minute)} min`
  if (ms < 24 * 60 * minute) return `+${Math.floor(ms / 60 / minute)} h`
  return `+${Math.floor(ms / 24 / 60 / minute)} d`
}

const minute = 60_000
/** A format in the language of the page. It is made at its first use: making all of them delays the first list. */
function format(options: Intl.DateTimeFormatOptions): { format(at: number): string } {
  let made: Intl.DateTimeFormat | undefined
  return { format: (at) => (made ??= new Intl.DateTimeFormat('en-GB', options)).format(at) }
}
const clock = format({ hour: '2-digit', minute: '2-digit' })
const weekday = format({ weekday: 'short' })
const longWeekday = format({ weekday: 'long' })
const longDay = format({ weekday: 'long', day: 'numeric', month: 'long' })
const longDayYear = format({ day: 'numeric', month: 'long', year: 'numeric' })
const dayMonth = format({ day: 'numeric', month: 'short' })
const dayMonthYear = format({ day: 'numeric', month: 'short', year: 'numeric' })
const precise = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
const full = format({
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** The day, with the year if it is not the year of `beside`. */
function dayIn(at: number, beside: number): string {
  return (isSameYear(at, beside) ? dayMonth : dayMonthYear).format(at)
}

const isSameYear = (at: number, other: number): boolean =>
  new Date(at).getFullYear() === new Date(other).getFullYear()

/** The number of a day in the time zone of the page. */
export function dayOf(at: number): number {
  const day = new Date(at)
  return Math.round(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()) / 86_400_000)
}
