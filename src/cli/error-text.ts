import { type ErrorCode, errorTable, LocalpostError, messageOf } from '../core/errors.ts'

/** Advice for an error, in terms of the command line. */
type Advice = Partial<Record<ErrorCode, string>>

/** Advice for every phase of the command. */
const commandAdvice: Advice = {
  invalid_option: 'See localpost --help.',
  store_in_use: 'Choose another folder with --dir, or none with --memory.',
  store_full: 'Choose another folder with --dir, or none with --memory.',
  store_read_only: 'Choose another folder with --dir, or none with --memory.',
}

/**
 * Describes an error in one paragraph: its code, what happened, what to do.
 *
 * @param advice  What to add to the message of some codes in this phase.
 * @returns For a fault of Localpost itself, if DEBUG is set: its stack in place of the sentence and the advice.
 */
export function describeError(error: unknown, advice: Advice = {}): string {
  if (error instanceof LocalpostError) {
    const next = advice[error.code] ?? commandAdvice[error.code]
    return [`${error.code}:`, sentence(error.message), ...(next ? [next] : [])].join(' ')
  }
  const message = messageOf(error)
  if (process.env['DEBUG'] && error instanceof Error) return `internal_error: ${error.stack ?? message}`
  return `internal_error: ${sentence(message)} ${errorTable.internal_error.fix} DEBUG=1 shows where it happened.`
}

/** The exit code of an error: 2 for a wrong command line, variable or configuration file, else 1. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof LocalpostError && error.code === 'invalid_option' ? 2 : 1
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
