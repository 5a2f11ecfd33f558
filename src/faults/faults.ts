import { createRandomSources, type RandomSource } from '../core/random.ts'
import { parseInput } from '../core/validate.ts'
import type {
  FaultChance,
  FaultRateLimit,
  FaultsInput,
  FaultsState,
  HttpFault,
  SmtpFault,
  SmtpStage,
} from './types.ts'
import { faultsInputSchema } from './schema.ts'
import { matchesGlob } from '../core/glob.ts'
import { createRandom } from './draw.ts'

/** What goes wrong on purpose between an app and this instance; for `/dev/faults` and the library. */
export interface Faults {
  /** With the counts that are left; null while there are none. */
  get(): Promise<FaultsState | null>
  /**
   * Puts these in the place of all, with fresh counts and dice. They are not stored: a restart forgets them.
   *
   * @returns As {@link Faults.get}; null where nothing was asked for.
   * @throws validation_error with one entry per wrong member: `http[0].status`.
   */
  set(faults: FaultsInput): Promise<FaultsState | null>
  /** Removes all. @returns How many there were. */
  clear(): Promise<number>
}

/** What the two doors ask; each call that finds a fault counts. */
export interface ArmedFaults extends Faults {
  state(): FaultsState | null
  /** The fault that strikes a request. @param path  Without the query. */
  http(method: string, path: string): HttpFault | null
  /** The fault that strikes a submission at this stage. */
  smtp(stage: SmtpStage): SmtpFault | null
  /** The same object until the faults change. */
  rateLimit(): FaultRateLimit | null
  /** Notes the faults with the counts that are left. @returns Puts them back; their dice go on. */
  hold(): () => void
}

/**
 * The faults of an instance; none at the start.
 *
 * @param chance  Gives the seed of dice for which none was named. Default: the system's.
 */
export function createFaults(random: RandomSource = createRandomSources(null)('faults')): ArmedFaults {
  let http: Armed<HttpFault>[] = []
  let smtp: Armed<SmtpFault>[] = []
  let rate_limit: FaultRateLimit | null = null
  let seed = 0

  function state(): FaultsState | null {
    if (http.length + smtp.length === 0 && rate_limit === null) return null
    return { http: http.map(shown), smtp: smtp.map(shown), rate_limit: rate_limit && { ...rate_limit }, seed }
  }

  return {
    state,
    get: async () => state(),
    async set(input) {
      const faults = parseInput(faultsInputSchema, input)
      seed = faults.seed ?? random.integer(2 ** 32)
      // Each has dice of its own, so that what strikes one does not depend on what happens to another.
      http = (faults.http ?? []).map((fault, i) => arm(fault, seed + 2 * i))
      smtp = (faults.smtp ?? []).map((fault, i) => arm(fault, seed + 2 * i + 1))
      rate_limit = faults.rate_limit ?? null
      return state()
    },
    async clear() {
      const count = http.length + smtp.length + (rate_limit ? 1 : 0)
      http = []
      smtp = []
      rate_limit = null
      return count
    },
    http: (method, path) =>
      strike(http, (fault) => (fault.method ?? method) === method && matchesGlob(fault.path, path)),
    smtp: (stage) => strike(smtp, (fault) => fault.stage === stage),
    rateLimit: () => rate_limit,
    hold() {
      const held = {
        http: http.map((one) => ({ ...one })),
        smtp: smtp.map((one) => ({ ...one })),
        rate_limit,
        seed,
      }
      return () => {
        http = held.http.map((one) => ({ ...one }))
        smtp = held.smtp.map((one) => ({ ...one }))
        rate_limit = held.rate_limit
        seed = held.seed
      }
    },
  }
}

interface Armed<T extends FaultChance> {
  readonly fault: T
  left: number
  /** Throws the dice. */
  readonly roll: () => number
}

function arm<T extends FaultChance>(fault: T, seed: number): Armed<T> {
  return { fault, left: fault.count ?? Number.POSITIVE_INFINITY, roll: createRandom(seed) }
}

function shown<T extends FaultChance>({ fault, left }: Armed<T>): T {
  return fault.count === undefined ? { ...fault } : { ...fault, count: left }
}

// A fault counts every match, applied or not; a match that it does not apply to is tried against the next fault.
function strike<T extends FaultChance>(armed: readonly Armed<T>[], fits: (fault: T) => boolean): T | null {
  for (const one of armed) {
    if (one.left <= 0 || !fits(one.fault)) continue
    one.left--
    if (one.fault.rate === undefined || one.roll() < one.fault.rate) return one.fault
  }
  return null
}
