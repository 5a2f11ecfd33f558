import { clientNames } from '../client-support/features.ts'
import { LocalpostError, type ErrorCode } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { suggest } from '../core/suggest.ts'
import { checkRegistry } from './registry.ts'

/** The checks that run, and the mail clients that count. */
export interface MailCheckOptions {
  /** The ids of checks to leave out. Default: those of the option `checks.except` of the instance. */
  except?: readonly string[] | undefined
  /**
   * The keys of the mail clients that matter, as `gmail/ios`; see docs/checks.md. Default: those of the option
   * `checks.clients` of the instance.
   */
  clients?: readonly string[] | undefined
}

/** The members of the option `checks` that give checks data and services, and do not select checks. */
export const serviceMembers: readonly string[] = ['zone', 'sendingHosts', 'spamd', 'rspamd']

/**
 * Refuses unknown checks and clients, with the nearest known one.
 *
 * @param taker  The function that takes these options, such as `inbox.check()`; for the message.
 * @param code  The code of the error. Default: `validation_error`.
 * @param also  Other members that are allowed.
 * @throws invalid_option for an unknown member.
 */
export function assertCheckOptions(
  options: MailCheckOptions | undefined,
  taker: string,
  code: ErrorCode = 'validation_error',
  also: readonly string[] = [],
): void {
  assertKnownOptions(options, ['except', 'clients', ...also], taker)
  assertKnown(options?.except, checkIds, { what: 'check', list: 'except', code, taker })
  assertKnown(options?.clients, clientKeys, { what: 'mail client', list: 'clients', code, taker })
}

function assertKnown(
  given: unknown,
  known: readonly string[],
  { what, list, code, taker }: { what: string; list: string; code: ErrorCode; taker: string },
): void {
  if (given === undefined) return
  if (!Array.isArray(given))
    throw new LocalpostError(code, `${list} of ${taker} takes an array of texts, not ${quote(given)}.`)
  for (const one of given as unknown[]) {
    if (typeof one === 'string' && known.includes(one)) continue
    const near = typeof one === 'string' ? suggest(one, known) : undefined
    const hint = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean "${near}"?`
    throw new LocalpostError(code, `${list} of ${taker}: there is no ${what} ${quote(one)}. ${hint}`)
  }
}

const checkIds = checkRegistry.map(({ id }) => id)
const clientKeys = clientNames.map(([client]) => client)
