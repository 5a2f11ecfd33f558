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
  if (days < 7) return weekday(new Date(at)).slice(0, 3)
  return dayIn(at, now)
}

/** A time under the heading of its day: `now`, `5 min`, `14:05`. */
export function timeOfDay(at: number, now: number): string {
  const ageMs = now - at
  if (ageMs < minute) return 'now'
  return ageMs < 60 * minute ? `${Math.floor(ageMs / minute)} min` : clock(new Date(at))
}

/** A day as a heading, in the time zone of the page: `Today`, `Yesterday`, `Monday`, `Tuesday 3 March`, `3 March 2024`. */
export function dayWords(at: number, now: number): string {
  const days = dayOf(now) - dayOf(at)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  const day = new Date(at)
  if (days > 1 && days < 7) return weekday(day)
  return isSameYear(at, now) ? `${weekday(day)} ${dayMonth(day)}` : `${dayMonth(day)} ${day.getFullYear()}`
}

/** A moment in full: `Fri, 20 Nov 2026, 17:57:24`. */
export function fullTime(at: number): string {
  const day = new Date(at)
  return `${weekday(day).slice(0, 3)}, ${shortDayMonth(day)} ${day.getFullYear()}, ${precise(day)}`
}

/**
 * The time of day to the millisecond, for events that follow each other closely. Includes the day if it is not the day of
 * `beside`.
 *
 * @param beside  The time that is shown next to it. Default: now.
 */
export function preciseTime(at: number, beside: number = Date.now()): string {
  const time = `${precise(new Date(at))}.${String(at % 1000).padStart(3, '0')}`
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
// Put together by hand: the first format that `Intl` makes takes longer than all times of the first list.
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const months = 'January February March April May June July August September October November December'.split(
  ' ',
)
const weekday = (day: Date): string => weekdays[day.getDay()] ?? ''
const dayMonth = (day: Date): string => `${day.getDate()} ${months[day.getMonth()]}`
const shortDayMonth = (day: Date): string => `${day.getDate()} ${months[day.getMonth()]?.slice(0, 3)}`
const two = (count: number): string => String(count).padStart(2, '0')
const clock = (day: Date): string => `${two(day.getHours())}:${two(day.getMinutes())}`
const precise = (day: Date): string => `${clock(day)}:${two(day.getSeconds())}`

/** The day, with the year if it is not the year of `beside`. */
function dayIn(at: number, beside: number): string {
  const day = new Date(at)
  return isSameYear(at, beside) ? shortDayMonth(day) : `${shortDayMonth(day)} ${day.getFullYear()}`
}

const isSameYear = (at: number, other: number): boolean =>
  new Date(at).getFullYear() === new Date(other).getFullYear()

/** The number of a day in the time zone of the page. */
export function dayOf(at: number): number {
  const day = new Date(at)
  return Math.round(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()) / 86_400_000)
}
