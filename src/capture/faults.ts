import type { Clock } from '../core/clock.ts'
import type { SmtpFault, SmtpStage } from '../faults/types.ts'
import { defaultEnhancedCode } from '../rules/rule.ts'
import { hasEnhancedCode, Refusal } from './replies.ts'

/** Finds the fault of a submission at this stage, and counts it as used; a promise where instances share a store. */
export type FaultAt = (stage: SmtpStage) => SmtpFault | null | Promise<SmtpFault | null>

/** Whether a fault only delays: the step then goes on as usual. */
export function isOnlyDelay({ disconnect, code }: SmtpFault): boolean {
  return !disconnect && code === undefined
}

/** Waits for the delay of a fault. @returns The reply or the cut connection that ends the step; null if it goes on. */
export async function applyFault(fault: SmtpFault, clock: Clock): Promise<Refusal | 'cut' | null> {
  const { stage, code, text = 'An injected fault', disconnect, delay_ms = 0 } = fault
  if (delay_ms > 0) await new Promise<void>((resolve) => clock.after(delay_ms, resolve))
  if (disconnect) return 'cut'
  if (code === undefined) return null
  // A greeting and the reply to EHLO have no enhanced code.
  const isWhole = stage === 'connect' || stage === 'ehlo' || hasEnhancedCode(code, text)
  return new Refusal(code, isWhole ? text : `${defaultEnhancedCode(code)} ${text}`, 'fault')
}
