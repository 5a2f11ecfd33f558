import type { BroadcastMoment, BroadcastTotals } from '../../../src/broadcasts/types.ts'
import type { Tone } from '../../composables/words.ts'

/** A number of a broadcast, for the page. */
export interface BroadcastNumber {
  name: keyof BroadcastTotals
  words: string
  tone: Tone
  count: number
  /** Of all its emails, as `40 %`; empty for a broadcast without emails. */
  share: string
}

/** The numbers that every broadcast shows, in this order. */
const always: readonly (readonly [name: keyof BroadcastTotals, words: string, tone: Tone])[] = [
  ['delivered', 'Delivered', 'good'],
  ['opened', 'Opened', 'info'],
  ['clicked', 'Clicked', 'info'],
  ['bounced', 'Bounced', 'bad'],
  ['unsubscribed', 'Unsubscribed', 'warn'],
]
/** The numbers that are shown only if they are above 0. */
const ifAny: typeof always = [
  ['delivery_delayed', 'Delayed', 'warn'],
  ['complained', 'Complaints', 'bad'],
  ['failed', 'Failed', 'bad'],
]

export function numbersOf(totals: BroadcastTotals): BroadcastNumber[] {
  return [...always, ...ifAny.filter(([name]) => totals[name] > 0)].map(([name, words, tone]) => ({
    name,
    words,
    // A count of 0 needs no colour.
    tone: totals[name] > 0 ? tone : 'quiet',
    count: totals[name],
    share: shareOf(totals[name], totals.emails),
  }))
}

function shareOf(count: number, all: number): string {
  if (all === 0) return ''
  const percent = (count / all) * 100
  const isRounded = percent === 0 || percent >= 10 || Number.isInteger(percent)
  return `${isRounded ? Math.round(percent) : percent.toFixed(1)} %`
}

/** The kinds of events that the chart shows. */
export const chartKinds = ['delivered', 'opened', 'clicked', 'bounced'] as const
export type ChartKind = (typeof chartKinds)[number]

/** How many emails have had an event of one kind, over time. */
export interface ChartLine {
  kind: ChartKind
  /** One point at the start and one at the end of each interval, as fractions of width and height. y = 0 is the top. */
  points: readonly (readonly [x: number, y: number])[]
}

/** A line for each kind of events that happened. They only rise; the highest reaches the top. */
export function linesOf(moments: readonly BroadcastMoment[]): ChartLine[] {
  const sums = chartKinds.map((kind) => {
    let sum = 0
    return { kind, counts: [0, ...moments.map((moment) => (sum += moment[kind]))] }
  })
  const highest = Math.max(1, ...sums.map(({ counts }) => counts.at(-1) ?? 0))
  return sums
    .filter(({ counts }) => (counts.at(-1) ?? 0) > 0)
    .map(({ kind, counts }) => ({
      kind,
      points: counts.map((count, at) => [at / moments.length, 1 - count / highest] as const),
    }))
}

/** A length of time in words, in its largest unit: `48 seconds`, `1.5 hours`. */
export function spanWords(ms: number): string {
  const [unit, length] = units.find((one) => ms >= one[1]) ?? ['second', 1000]
  const count = Math.round((ms / length) * 10) / 10
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const units: readonly (readonly [unit: string, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]
