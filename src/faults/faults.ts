import { validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { parseInput } from '../core/validate.ts'
import { createRandomSources, type RandomSource } from '../core/random.ts'
import { arm, type ArmedSet, countFaults, fitsRequest, shownFaults, strike } from './armed.ts'
import { faultsInputSchema } from './schema.ts'
import type { FaultRateLimit, FaultsInput, FaultsState, HttpFault, SmtpFault, SmtpStage } from './types.ts'

/** Injected failures between an app and this instance; for `/dev/faults` and the library. */
export interface Faults {
  /** The faults, each with the count that is left; null if there are none. */
  get(): Promise<FaultsState | null>
  /**
   * Replaces all faults, with new counts and random sequences. A restart forgets them, except in PostgreSQL, where they
   * last until they are removed.
   *
   * @returns As {@link Faults.get}; null if `faults` is empty.
   * @throws validation_error with one entry per wrong member: `http[0].status`.
   */
  set(faults: FaultsInput): Promise<FaultsState | null>
  /** Removes all. @returns How many there were. */
  clear(): Promise<number>
}

/** A limit of requests. */
export interface InjectedLimit extends FaultRateLimit {
  /** If instances share a store: a new value each time that faults are set. */
  readonly generation?: string
}

/** Used by the HTTP and SMTP servers. Each call that finds a fault reduces its count. */
export interface ArmedFaults extends Faults {
  state(): FaultsState | null
  /** The fault for a request; a promise if it is counted in a shared store. @param path  Without the query. */
  http(method: string, path: string): HttpFault | null | Promise<HttpFault | null>
  /** The fault for a submission at this stage; a promise as for `http`. */
  smtp(stage: SmtpStage): SmtpFault | null | Promise<SmtpFault | null>
  /** The same object until the faults change. */
  rateLimit(): InjectedLimit | null
  /** Notes the faults and their counts. @returns A function that restores them; their random sequence continues. */
  hold(): () => void
}

/**
 * The faults of an instance.
 *
 * @param surfaces  As those of {@link readFaults}.
 * @param random  Gives the seed if none was set. Default: the system's random numbers.
 */
export function createFaults(
  surfaces: readonly string[],
  random: RandomSource = createRandomSources(null)('faults'),
): ArmedFaults {
  let armed = noFaults()
  return {
    state: () => shownFaults(armed),
    get: async () => shownFaults(armed),
    async set(input) {
      const faults = readFaults(input, surfaces)
      armed = arm(faults, faults.seed ?? random.integer(2 ** 32))
      return shownFaults(armed)
    },
    async clear() {
      const count = countFaults(armed)
      armed = noFaults()
      return count
    },
    // Called at every request and command, so it must cost nothing if there are no faults.
    http: (method, path) =>
      armed.http.length === 0 ? null : strike(armed.http, fitsRequest(method, path)).fault,
    smtp: (stage) =>
      armed.smtp.length === 0 ? null : strike(armed.smtp, (fault) => fault.stage === stage).fault,
    rateLimit: () => armed.rate_limit,
    hold() {
      const held = armed
      const lefts = [...held.http, ...held.smtp].map(({ left }) => left)
      return () => {
        armed = held
        for (const [i, one] of [...held.http, ...held.smtp].entries()) one.left = lefts[i] ?? null
      }
    },
  }
}

/** Without faults the seed has no meaning. */
const noFaults = (): ArmedSet => arm({}, 0)

/**
 * Reads the faults to set.
 *
 * @param surfaces  The first segments of the paths that have faults besides `v1`: the names of providers.
 * @throws validation_error with one entry per wrong member, also for a path that no fault applies to.
 */
export function readFaults(input: unknown, surfaces: readonly string[]): FaultsInput {
  const faults = parseInput(faultsInputSchema, input)
  const known = ['v1', ...surfaces]
  const errors = (faults.http ?? []).flatMap(({ path }, i) => {
    const [, first = '', star] = /^\/([^/*]*)(\*)?/.exec(path) ?? []
    const isKnown = star ? known.some((name) => name.startsWith(first)) : known.includes(first)
    if (path.startsWith('*') || isKnown) return []
    const places = known.map((name) => `/${name}`).join(', ')
    const message = `must be a path of ${places}, with * for any characters, not ${quote(path)}: faults apply only there`
    return { field: `http[${i}].path`, message }
  })
  if (errors.length > 0) throw validationError(errors)
  return faults
}
