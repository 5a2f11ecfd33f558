import { assertCheckOptions, type MailCheckOptions } from '../checks/options.ts'
import { checkMail } from '../checks/run.ts'
import type { Finding } from '../checks/types.ts'
import { LocalpostError } from '../core/errors.ts'
import type { Mail } from '../inbox/types.ts'
import { assertExpectation } from './expectation.ts'
import { UsageError } from '../core/caller.ts'
import type { Outcome } from './outcome.ts'

/** The checks that a mail must pass. */
export interface ChecksExpectation extends MailCheckOptions {
  /** The severity from which a finding fails the test. Default: `error`. */
  failOn?: 'error' | 'warning'
}

/** Checks whether a mail passes the checks of docs/checks.md. Nothing is fetched. @param of  What was called, for messages. */
export async function checkPasses(
  mail: Mail,
  expectation: ChecksExpectation = {},
  of: string = 'toPassChecks',
): Promise<Outcome> {
  const members = { except: 'texts', clients: 'texts', failOn: ['error', 'warning'] } as const
  assertExpectation(expectation, members, 'A check of a mail')
  const { failOn = 'error', ...options } = expectation
  try {
    assertCheckOptions(options, of)
  } catch (error) {
    throw error instanceof LocalpostError ? new UsageError(error.message) : error
  }
  const { findings } = checkMail(mail, options)
  const failing = findings.filter(
    ({ severity }) => severity === 'error' || (failOn === 'warning' && severity === 'warning'),
  )
  const pass = failing.length === 0
  return {
    pass,
    message: () =>
      pass
        ? `Expected ${mail.id} to fail a check, but it passes all of them.`
        : `Expected ${mail.id} to pass the checks, but:\n${failing.map(lineOf).join('\n')}`,
    actual: failing.map(({ id, message }) => `${id}: ${message}`),
    expected: [],
  }
}

function lineOf({ severity, id, message, place, fix }: Finding): string {
  const where = place?.line ? ` (line ${place.line} of the ${place.part}: ${place.snippet})` : ''
  return `  ${severity} ${id}: ${message}${where}\n    ${fix}`
}
