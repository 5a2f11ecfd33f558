import { type CountAttempt, createAttempts } from './attempts.ts'
import type { FindRule } from './rules.ts'
import { createSimulator, type AddressSimulator } from './simulator.ts'
import type { Rule } from './types.ts'
import type { Verdict } from './rule.ts'

/** Decides for a recipient and the delivery (the email's id, from ENVID; null without one). */
type Verdicts = (recipient: string, emailId: string | null) => Verdict | Promise<Verdict>

/**
 * Makes the verdicts of a capture server: rules decide first, then the simulator; all other recipients are accepted. A
 * simulator address matches only rules that name exactly this address.
 *
 * @param findRule  Default: there are no rules.
 * @param countAttempt  Counts the attempts that were delayed or greylisted. Default: in memory.
 * @param simulator  Default: one with its own hosts only.
 */
export function createVerdicts(
  findRule: FindRule = noRule,
  countAttempt: CountAttempt = createAttempts(),
  simulator: AddressSimulator = createSimulator(),
): Verdicts {
  async function unlessOver(rule: Rule | null, delivery: string, verdict: Verdict): Promise<Verdict> {
    const times = rule?.action === 'greylist' ? rule.times : 1
    return (await countAttempt(rule, delivery, times)) ? accepted : verdict
  }

  return (recipient, emailId) => {
    const delivery = `${emailId ?? ''} ${recipient.toLowerCase()}`
    const rule = ruleOf(recipient, findRule, simulator)
    switch (rule?.action) {
      case undefined: {
        const simulated = simulator.verdictOf(recipient)
        if (!simulated) return accepted
        const { verdict, first_attempt_only } = simulated
        return first_attempt_only ? unlessOver(null, delivery, verdict) : verdict
      }
      case 'greylist':
        return unlessOver(rule, delivery, greylisted)
      case 'reject':
        return { action: 'reject', reply_code: rule.code, enhanced_code: rule.enhanced_code, text: rule.text }
      case 'delay':
        return { action: 'delay', delay_ms: rule.delay_ms }
      case 'drop':
        return { action: 'drop' }
      case 'accept':
        return accepted
    }
  }
}

function ruleOf(recipient: string, findRule: FindRule, simulator: AddressSimulator): Rule | null {
  return findRule(recipient, simulator.isSimulator(recipient) ? 'exact' : 'all')
}

/** The cause of a reply to a recipient. */
export type Cause =
  | { kind: 'rule'; match: string; action: 'reject' | 'greylist' | 'drop' }
  | { kind: 'simulator' }

/**
 * Makes a function that finds the cause of a reply of the capture server: a rule or the simulator. Other replies, such as
 * those of a fault, have no cause.
 */
export function createCauseOf(
  findRule: FindRule = noRule,
  simulator: AddressSimulator = createSimulator(),
): (recipient: string, replyCode: number) => Cause | undefined {
  return (recipient, replyCode) => {
    const rule = ruleOf(recipient, findRule, simulator)
    if (rule) {
      const { match, action } = rule
      const isReject = action === 'reject' && rule.code === replyCode
      const isGreylist = action === 'greylist' && replyCode === greylistedCode
      // A dropped connection ends without a reply (0) or with 421.
      const isDrop = action === 'drop' && (replyCode === 0 || replyCode === 421)
      return isReject || isGreylist || isDrop ? { kind: 'rule', match, action } : undefined
    }
    const verdict = simulator.verdictOf(recipient)?.verdict
    return verdict?.action === 'reject' && verdict.reply_code === replyCode
      ? { kind: 'simulator' }
      : undefined
  }
}

const greylistedCode = 451
const greylisted: Verdict = {
  action: 'reject',
  reply_code: greylistedCode,
  enhanced_code: '4.7.1',
  text: 'Greylisted, try again later',
}
const accepted: Verdict = { action: 'accept' }
const noRule: FindRule = () => null
