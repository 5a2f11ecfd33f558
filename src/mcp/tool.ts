import type { z } from 'zod'
import { parseInput } from '../core/validate.ts'
import type { EmailService } from '../emails/emails.ts'
import type { Simulation } from '../emails/simulate.ts'
import type { Inbox, InboxPages } from '../inbox/methods.ts'

/** What the tools use of an account. */
export interface ToolAccount {
  readonly inbox: Pick<Inbox, 'list' | 'waitFor' | 'check' | 'reply'> &
    Pick<InboxPages, 'entries' | 'read' | 'bulk' | 'missing'>
  readonly emails: Pick<EmailService, 'accept'> & Simulation
  /** The time of the instance. */
  now(): number
}

/** Who calls a tool. */
export interface ToolCaller {
  /** Whether the key may change and send mail. */
  readonly isFull: boolean
  /** Whether the caller may see the other accounts. */
  readonly seesAccounts: boolean
  /** Aborted when the client leaves, or cancels the call. */
  readonly signal: AbortSignal
}

/** One tool. */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodType<Input>
  /** Whether it takes a key of scope `full`. */
  readonly needsFull: boolean
  /** Whether it removes something. */
  readonly isDestructive?: boolean
  /** @returns An object of JSON; all texts of mails are in it. */
  run(account: ToolAccount, input: Input, caller: ToolCaller): Promise<object>
}

/** Makes a tool from a row: the input is checked first, so `run` gets its type. */
export const tool = <Input>(row: Tool<Input>): Tool => ({
  ...row,
  run: async (account, input, caller) => row.run(account, parseInput(row.input, input), caller),
})
