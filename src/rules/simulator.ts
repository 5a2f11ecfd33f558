import type { Verdict } from './rule.ts'

/**
 * The event that the simulator adds after the SMTP reply; `delivery_delayed` after a deferral, the others after an
 * acceptance.
 */
export type Aftermath = 'complained' | 'opened' | 'clicked' | 'delivery_delayed'

/** How the simulator answers one recipient. */
export interface SimulatorVerdict {
  verdict: Verdict
  /** The verdict applies to the first attempt of a delivery only; later ones are accepted. */
  first_attempt_only: boolean
  /** The event that the simulator adds afterwards; null for none. */
  aftermath: Aftermath | null
}

/** The addresses whose mail has a certain outcome. The name before the `@` decides, in any case and without its `+label`. */
export interface AddressSimulator {
  /** Whether an address belongs to the simulator. Mail for it never goes to a relay. */
  isSimulator(address: string): boolean
  /** Whether an address is the simulator's address on a suppression list. */
  isSuppressed(address: string): boolean
  /**
   * How the simulator answers a recipient. At its own hosts, other names are rejected as unknown users.
   *
   * @returns null for every other address.
   * @see https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html
   */
  verdictOf(recipient: string): SimulatorVerdict | null
  /** The event that the simulator adds for a recipient; null for none, and for addresses outside of the simulator. */
  aftermathOf(recipient: string): Aftermath | null
}

/** Further addresses: those of a provider. Other names at these hosts are ordinary addresses. */
export interface SimulatorNames {
  /** The provider whose addresses they are. */
  readonly provider: string
  readonly hosts: readonly string[]
  /** Their names, with those of the simulator that they stand for. */
  readonly names: Readonly<Record<string, SimulatorName>>
}

/** @param further  Addresses beside those of the simulator's own hosts. Default: none. */
export function createSimulator(further: readonly SimulatorNames[] = []): AddressSimulator {
  const names = new Map(
    further.flatMap(({ hosts, names }) => hosts.map((host) => [host, new Map(Object.entries(names))])),
  )

  function nameOf(address: string): string | null {
    const at = address.lastIndexOf('@')
    if (at === -1) return null
    const host = address.slice(at + 1).toLowerCase()
    const known = names.get(host)
    if (!known && !ownHosts.has(host)) return null
    const name = address.slice(0, at).toLowerCase().split('+', 1)[0] ?? ''
    return known ? (known.get(name) ?? null) : name
  }

  return {
    isSimulator: (address) => nameOf(address) !== null,
    isSuppressed: (address) => nameOf(address) === 'suppressionlist',
    verdictOf(recipient) {
      const name = nameOf(recipient)
      if (name === null) return null
      return verdicts.get(name) ?? reject(550, '5.1.1', 'The simulator has no such user')
    },
    aftermathOf: (recipient) => verdicts.get(nameOf(recipient) ?? '')?.aftermath ?? null,
  }
}

const ownHosts: ReadonlySet<string> = new Set(['simulator.localpost', 'simulator.amazonses.com'])

/** A name of the simulator. */
export type SimulatorName =
  | 'success'
  | 'complaint'
  | 'opened'
  | 'clicked'
  | 'bounce'
  | 'softbounce'
  | 'mailboxfull'
  | 'suppressionlist'
  | 'delayed'

const verdicts: ReadonlyMap<string, SimulatorVerdict> = new Map(
  Object.entries({
    success: accept(null),
    complaint: accept('complained'),
    opened: accept('opened'),
    clicked: accept('clicked'),
    bounce: reject(550, '5.1.1', 'No such user'),
    softbounce: reject(451, '4.3.0', 'Try again later'),
    mailboxfull: reject(452, '4.2.2', 'Mailbox full'),
    suppressionlist: reject(550, '5.7.1', 'The address is on the suppression list'),
    delayed: {
      ...reject(451, '4.4.7', 'Delayed, try again'),
      first_attempt_only: true,
      aftermath: 'delivery_delayed',
    },
  } satisfies Record<SimulatorName, SimulatorVerdict>),
)

function accept(aftermath: Aftermath | null): SimulatorVerdict {
  return { verdict: { action: 'accept' }, first_attempt_only: false, aftermath }
}

function reject(reply_code: number, enhanced_code: string, text: string): SimulatorVerdict {
  const verdict: Verdict = { action: 'reject', reply_code, enhanced_code, text }
  return { verdict, first_attempt_only: false, aftermath: null }
}
