import type { SMTPServerSession } from 'smtp-server'
import type { SmtpFault, SmtpStage } from '../faults/types.ts'
import { enhancedCodeOf } from '../rules/rule.ts'
import type { Clock } from '../core/clock.ts'
import type { Refusal } from './replies.ts'
import { hasEnhancedCode, refusal } from './replies.ts'

/**
 * Returns the fault that applies to a submission at this stage, and counts it as used; null for none. Where instances share
 * a store, a promise, which is rejected if the store cannot be read.
 */
export type FaultAt = (stage: SmtpStage) => SmtpFault | null | Promise<SmtpFault | null>

/**
 * The stage that a command begins.
 *
 * @returns null for commands that faults do not apply to, and for commands out of sequence, which are refused anyway.
 */
export function stageOf(command: string, session: SMTPServerSession): SmtpStage | null {
  const { envelope, hostNameAppearsAs, user } = session
  switch (command) {
    case 'HELO':
    case 'EHLO':
      return 'ehlo'
    case 'AUTH':
      return hostNameAppearsAs && !user ? 'auth' : null
    case 'MAIL':
      return hostNameAppearsAs && !envelope.mailFrom ? 'mail' : null
    case 'RCPT':
      return envelope.mailFrom ? 'rcpt' : null
    case 'DATA':
      return envelope.rcptTo.length > 0 ? 'data' : null
    default:
      return null
  }
}

/** The possible effects of a fault. */
export interface FaultWays {
  /** Continues normally: the fault was only a delay. */
  proceed(): void
  /** @param text  May begin with an enhanced status code. */
  refuse(code: number, text: string): void
  /** Ends the connection without a reply. */
  cut(): void
}

/** Applies a fault: waits for its delay, then calls one of the three ways. */
export function meetFault(fault: SmtpFault, clock: Clock, ways: FaultWays): void {
  const { code, text = 'An injected fault', disconnect, delay_ms = 0 } = fault
  const meet = (): void => {
    if (disconnect) ways.cut()
    else if (code === undefined) ways.proceed()
    else ways.refuse(code, text)
  }
  if (delay_ms > 0) clock.after(delay_ms, meet)
  else meet()
}

/** The refusal of a fault. If its text does not begin with an enhanced code, the default of the reply code is used. */
export function faultRefusal(code: number, text: string): Refusal {
  if (!hasEnhancedCode(code, text)) return refusal(code, enhancedCodeOf(code), text)
  const space = text.indexOf(' ')
  return refusal(code, text.slice(0, space), text.slice(space + 1))
}
