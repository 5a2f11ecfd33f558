import { matchesGlob } from '../core/glob.ts'
import type { FaultChance, FaultRateLimit, FaultsInput, FaultsState, HttpFault, SmtpFault } from './types.ts'

/** The injected faults, each with how many matches it has left. The store keeps them in this form too. */
export interface ArmedSet {
  http: Armed<HttpFault>[]
  smtp: Armed<SmtpFault>[]
  rate_limit: FaultRateLimit | null
  seed: number
}

/** One fault. */
export interface Armed<T extends FaultChance> {
  readonly fault: T
  /** How many matches are left; null: any number. */
  left: number | null
  /** The state of its random sequence. */
  dice: number
}

/** Each fault has its own random sequence, so that it does not depend on the requests that match other faults. */
export function arm({ http = [], smtp = [], rate_limit = null }: FaultsInput, seed: number): ArmedSet {
  const armOne = <T extends FaultChance>(fault: T, dice: number): Armed<T> => ({
    fault,
    left: fault.count ?? null,
    dice: dice >>> 0,
  })
  return {
    http: http.map((fault, i) => armOne(fault, seed + 2 * i)),
    smtp: smtp.map((fault, i) => armOne(fault, seed + 2 * i + 1)),
    rate_limit,
    seed,
  }
}

/** The faults as the API shows them: `count` is how many matches are left; null if there are no faults. */
export function shownFaults({ http, smtp, rate_limit, seed }: ArmedSet): FaultsState | null {
  if (http.length + smtp.length === 0 && rate_limit === null) return null
  return { http: http.map(shown), smtp: smtp.map(shown), rate_limit: rate_limit && { ...rate_limit }, seed }
}

/** How many faults there are. */
export function countFaults({ http, smtp, rate_limit }: ArmedSet): number {
  return http.length + smtp.length + (rate_limit ? 1 : 0)
}

/** The fault that applies, and whether the count or random sequence of any fault changed. */
export type Struck<T> = { readonly fault: T | null; readonly hasChanged: boolean }

/** Whether a fault is for a request. @param path  Without the query. */
export function fitsRequest(method: string, path: string): (fault: HttpFault) => boolean {
  return (fault) => (fault.method ?? method) === method && matchesGlob(fault.path, path)
}

/**
 * Finds the fault that applies. Each match reduces a count, even if the random number then decides against it. Changes `left`
 * and `dice` of `armed`.
 */
export function strike<T extends FaultChance>(
  armed: readonly Armed<T>[],
  fits: (fault: T) => boolean,
): Struck<T> {
  let hasChanged = false
  for (const candidate of armed) {
    const { fault, left } = candidate
    if (left === 0 || !fits(fault)) continue
    hasChanged ||= left !== null || fault.rate !== undefined
    if (left !== null) candidate.left = left - 1
    if (fault.rate === undefined) return { fault, hasChanged }
    const { value, next } = draw(candidate.dice)
    candidate.dice = next
    if (value < fault.rate) return { fault, hasChanged }
  }
  return { fault: null, hasChanged }
}

const shown = <T extends FaultChance>({ fault, left }: Armed<T>): T =>
  left === null ? { ...fault } : { ...fault, count: left }

/**
 * Draws a random number: at least 0, less than 1. The same state gives the same sequence (mulberry32), so it must not be used
 * for secrets.
 *
 * @param state  At first the seed: an integer from 0 to 4,294,967,295.
 * @returns The number, and the state for the next one.
 */
function draw(state: number): { value: number; next: number } {
  const next = (state + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(next ^ (next >>> 15), next | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32, next }
}
