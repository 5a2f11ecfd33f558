import { codeOf, LocalpostError, messageOf } from '../../core/errors.ts'
import type { StoreAddress } from './address.ts'

/**
 * Converts an error of the database or the driver to an error of the store. Errors of Localpost itself are returned
 * unchanged.
 */
export function databaseFault(error: unknown): LocalpostError {
  if (error instanceof LocalpostError) return error
  const code = codeOf(error)
  const reason = error instanceof Error && error.message !== '' ? error.message : code
  if (isLost(error) || awayCodes.has(code)) return unreachable(reason, error)
  if (fullCodes.has(code)) return fault('store_full', reason, error)
  if (readOnlyCodes.has(code)) return fault('store_read_only', reason, error)
  return fault('store_failed', reason, error)
}

/** Whether the database could not be reached, ended the connection, or refused the statement for a reason that may not last. */
export function isLost(error: unknown): boolean {
  return isUnanswered(error) || refusedCodes.has(codeOf(error))
}

/**
 * Whether the server has refused a statement, so that nothing of its transaction is stored. After any other error it may be
 * stored: the connection was lost before the answer, or the answer cannot be read.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && !isUnanswered(error)
}

/** Whether the connection ended before the answer. */
function isUnanswered(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== '') return networkCodes.has(code) || code.startsWith('08') || code.startsWith('57P')
  // The driver's own errors have no code.
  return error instanceof Error && /terminated|timeout|not queryable|connection/i.test(error.message)
}

/**
 * Whether the statement was refused because of its values, so that the other commits of its transaction may be stored
 * without it.
 */
export function isOfValues(error: unknown): boolean {
  return /^(?:2[123]|54)/.test(codeOf(error))
}

/** Why the store could not be opened, and what to do. */
export function openingFault(error: unknown, { shown, schema }: StoreAddress): LocalpostError {
  if (error instanceof LocalpostError) return error
  const reason = messageOf(error)
  const known = advice[codeOf(error)]
  const what =
    known ?? (isLost(error) ? 'Check that PostgreSQL runs there and accepts connections from here.' : '')
  if (what === '') return databaseFault(error)
  const message = `The store ${shown} (schema ${schema}) cannot be opened: ${reason || codeOf(error)}. ${what} Nothing was created.`
  return new LocalpostError('store_failed', message, { cause: error })
}

const wrongPassword = 'Check the user name and the password in the URL.'
const advice: Readonly<Record<string, string | undefined>> = {
  '28P01': wrongPassword,
  '28000': `${wrongPassword} The server may also refuse this host, in its pg_hba.conf.`,
  '3D000': 'Create the database (createdb), or name another one in the URL.',
  '42501':
    'The user needs the right to create a schema in the database (GRANT CREATE ON DATABASE), or to use the one that is there.',
  ENOTFOUND: 'Check the host in the URL.',
}

/** The error for callers while the database does not answer. */
export function unreachable(reason: string, cause?: unknown): LocalpostError {
  const message = `The database does not answer: ${reason}. Nothing was stored. Try again in a moment.`
  return new LocalpostError('service_unavailable', message, {
    cause: withoutValues(cause),
    headers: { 'retry-after': '1' },
  })
}

function fault(
  kind: 'store_full' | 'store_read_only' | 'store_failed',
  reason: string,
  cause: unknown,
): LocalpostError {
  const message = `The database refused: ${reason}. ${fixes[kind]} Nothing was stored.`
  return new LocalpostError(kind, message, {
    cause: withoutValues(cause),
    ...(kind === 'store_failed' ? {} : { headers: { 'retry-after': '5' } }),
  })
}

const fixes = {
  store_full: 'Free some space on the disk of the database.',
  store_read_only:
    'Let the user of the URL write again: it lacks a right, the database is a standby, or default_transaction_read_only is on.',
  store_failed: 'See the log of the database.',
} as const

/** The errors of the driver contain the values of the statement, which must not be logged. */
function withoutValues(cause: unknown): unknown {
  return cause instanceof Error ? Object.assign(new Error(cause.message), { code: codeOf(cause) }) : cause
}

const networkCodes = new Set(
  'ECONNABORTED ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTDOWN EHOSTUNREACH ENETDOWN ENETRESET ENETUNREACH ENOTFOUND EAI_AGAIN'.split(
    ' ',
  ),
)
/** No memory, too many connections, a lock or a statement that took too long, a transaction ended by the server. */
const refusedCodes = new Set(['53200', '53300', '55P03', '57014', '25P03', '40001', '40P01'])
/**
 * The database cannot be used now: no login, no database, no new connections or no tables, for example while a backup
 * is restored.
 */
const awayCodes = new Set(['28000', '28P01', '3D000', '55000', '3F000', '42P01'])
const fullCodes = new Set(['53100'])
const readOnlyCodes = new Set(['25006', '42501'])
