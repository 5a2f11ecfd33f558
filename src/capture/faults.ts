import type { SMTPServerSession } from 'smtp-server'
import type { SmtpFault, SmtpStage } from '../faults/types.ts'
import { enhancedCodeOf } from '../rules/rule.ts'
import type { Clock } from '../core/clock.ts'
import type { Refusal } from './replies.ts'
import { hasEnhancedCode, refusal } from './replies.ts'

/** Gives the fault that strikes a submission at a stage, and counts it; null for none. */
export type FaultAt = (stage: SmtpStage) => SmtpFault | null

/**
 * The stage that a command begins.
 *
 * @returns null for commands that no fault meets, and for those out of turn, which have a refusal of their own.
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

/** What a fault can come to. */
export interface FaultWays {
  /** It was a delay alone. */
  proceed(): void
  /** @param text  May begin with an enhanced status code. */
  refuse(code: number, text: string): void
  /** Ends the connection without a reply. */
  cut(): void
}

/** Lets a fault happen: after its delay, one of the three ways. */
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

/** The refusal of a fault, with the enhanced code that its text brings, or else the one that goes with the code. */
export function faultRefusal(code: number, text: string): Refusal {
  if (!hasEnhancedCode(code, text)) return refusal(code, enhancedCodeOf(code), text)
  const space = text.indexOf(' ')
  return refusal(code, text.slice(0, space), text.slice(space + 1))
}
