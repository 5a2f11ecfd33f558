import { type CountAttempt, createAttempts } from './attempts.ts'
import type { FindRule } from './rules.ts'
import type { Rule } from './types.ts'

/** How the recipient's server answers one recipient. */
export type Verdict =
  | { action: 'accept' }
  | { action: 'reject'; reply_code: number; enhanced_code: string; text: string }
  /** Accepts after this time. */
  | { action: 'delay'; delay_ms: number }
  /** Cuts the connection without a reply. */
  | { action: 'drop' }

/** The event that the simulator adds after the SMTP reply; `delivery_delayed` after a deferral, the others after an acceptance. */
export type Aftermath = 'complained' | 'opened' | 'clicked' | 'delivery_delayed'

/** How the simulator answers one recipient. */
export interface SimulatorVerdict {
  verdict: Verdict
  /** The verdict applies to the first attempt of a delivery only; later ones are accepted. */
  first_attempt_only: boolean
}

const hosts: ReadonlySet<string> = new Set(['simulator.localpost', 'simulator.amazonses.com'])

const accept: SimulatorVerdict = { verdict: { action: 'accept' }, first_attempt_only: false }

const verdicts: ReadonlyMap<string, SimulatorVerdict> = new Map([
  ['success', accept],
  ['complaint', accept],
  ['opened', accept],
  ['clicked', accept],
  ['bounce', reject(550, '5.1.1', 'No such user')],
  ['softbounce', reject(451, '4.3.0', 'Try again later')],
  ['mailboxfull', reject(452, '4.2.2', 'Mailbox full')],
  ['suppressionlist', reject(550, '5.7.1', 'The address is on the suppression list')],
  ['delayed', { ...reject(451, '4.4.7', 'Delayed, try again'), first_attempt_only: true }],
])

const aftermaths: ReadonlyMap<string, Aftermath> = new Map([
  ['complaint', 'complained'],
  ['opened', 'opened'],
  ['clicked', 'clicked'],
  ['delayed', 'delivery_delayed'],
])

/** Whether an address belongs to the simulator. Mail for it never goes to a relay. */
export function isSimulator(address: string): boolean {
  return simulatorName(address) !== null
}

/**
 * How the simulator answers a recipient. The name before the `@` decides, in any case and without its `+label`. Other names
 * are rejected as unknown users.
 *
 * @returns null for every other address.
 * @see https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html
 */
export function simulatorVerdict(recipient: string): SimulatorVerdict | null {
  const name = simulatorName(recipient)
  if (name === null) return null
  return verdicts.get(name) ?? reject(550, '5.1.1', 'The simulator has no such user')
}

/** Decides for a recipient and the delivery (the email's id, from ENVID; null without one). */
type Verdicts = (recipient: string, transaction: string | null) => Verdict | Promise<Verdict>

/**
 * Makes the verdicts of a capture server: rules decide first, then the simulator; all other recipients are accepted. A
 * simulator address matches only rules that name exactly this address.
 *
 * @param findRule  Default: there are no rules.
 * @param areOver  Counts the attempts that were delayed or greylisted. Default: in memory.
 */
export function createVerdicts(
  findRule: FindRule = noRule,
  areOver: CountAttempt = createAttempts(),
): Verdicts {
  async function unlessOver(rule: Rule | null, delivery: string, verdict: Verdict): Promise<Verdict> {
    const times = rule?.action === 'greylist' ? rule.times : 1
    return (await areOver(rule, delivery, times)) ? accept.verdict : verdict
  }

  return (recipient, transaction) => {
    const delivery = `${transaction ?? ''} ${recipient.toLowerCase()}`
    const rule = findRule(recipient, isSimulator(recipient))
    switch (rule?.action) {
      case undefined: {
        const { verdict, first_attempt_only } = simulatorVerdict(recipient) ?? accept
        return first_attempt_only ? unlessOver(null, delivery, verdict) : verdict
      }
      case 'greylist':
        return unlessOver(rule, delivery, greylisted.verdict)
      case 'reject':
        return reject(rule.code, rule.enhanced_code, rule.text).verdict
      case 'delay':
        return { action: 'delay', delay_ms: rule.delay_ms }
      case 'drop':
        return { action: 'drop' }
      case 'accept':
        return accept.verdict
    }
  }
}

/** The cause of a reply to a recipient. */
export type Cause =
  | { kind: 'rule'; match: string; action: 'reject' | 'greylist' | 'drop' }
  | { kind: 'simulator' }

/**
 * Makes a function that finds the cause of a reply of the capture server: a rule or the simulator. Other replies, such as
 * those of a fault, have no cause.
 */
export function createCauses(
  findRule: FindRule = noRule,
): (recipient: string, replyCode: number) => Cause | undefined {
  return (recipient, replyCode) => {
    const rule = findRule(recipient, isSimulator(recipient))
    if (rule) {
      const { match, action } = rule
      const isReject = action === 'reject' && rule.code === replyCode
      const isGreylist = action === 'greylist' && replyCode === greylistedCode
      // A dropped connection ends without a reply (0) or with 421.
      const isDrop = action === 'drop' && (replyCode === 0 || replyCode === 421)
      return isReject || isGreylist || isDrop ? { kind: 'rule', match, action } : undefined
    }
    const verdict = simulatorVerdict(recipient)?.verdict
    return verdict?.action === 'reject' && verdict.reply_code === replyCode
      ? { kind: 'simulator' }
      : undefined
  }
}

/** The event that the simulator adds for a recipient; null for none, and for addresses outside of the simulator. */
export function aftermathOf(recipient: string): Aftermath | null {
  return aftermaths.get(simulatorName(recipient) ?? '') ?? null
}

function simulatorName(address: string): string | null {
  const at = address.lastIndexOf('@')
  if (at === -1 || !hosts.has(address.slice(at + 1).toLowerCase())) return null
  return address.slice(0, at).toLowerCase().split('+', 1)[0] ?? ''
}

function reject(reply_code: number, enhanced_code: string, text: string): SimulatorVerdict {
  return { verdict: { action: 'reject', reply_code, enhanced_code, text }, first_attempt_only: false }
}

/** Whether an address is the simulator's address on a suppression list. */
export function isSuppressed(address: string): boolean {
  return simulatorName(address) === 'suppressionlist'
}

const greylistedCode = 451
const greylisted = reject(greylistedCode, '4.7.1', 'Greylisted, try again later')
const noRule: FindRule = () => null
