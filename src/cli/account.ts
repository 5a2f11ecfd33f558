import type { AccountInfo, AccountInput, CreatedAccount, RenewedPassword } from '../accounts/types.ts'
import { parseDuration } from '../core/duration.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import type { Arguments } from './arguments.ts'
import type { Output } from './output.ts'
import { connect, type Remote } from './remote.ts'

/**
 * Runs `localpost account create|list|password|remove`, which manage the accounts of a running server.
 *
 * @returns The exit code.
 * @throws invalid_option for a wrong command line, request_failed if the server does not answer, else its error.
 */
export async function runAccount(given: Arguments, output: Output): Promise<0> {
  const [action = '', name, ...others] = given.words
  const isOfOne = action === 'remove' || action === 'password'
  const isComplete = isOfOne ? name !== undefined : action === 'create' || name === undefined
  if (!(isOfOne || action === 'create' || action === 'list') || !isComplete || others.length > 0)
    throw misused(
      'Use one of: account create [name], account list, account password <name>, account remove <name>.',
    )
  const limits = readLimits(given)
  if (action !== 'create' && Object.keys(limits).length > 0)
    throw misused('--ttl, --max-emails and --max-age are for account create.')
  const path = name === undefined ? accountsPath : `${accountsPath}/${segmentOf(name)}`
  const remote = await connect(given, process.env)
  const isJson = given.own['json'] === 'true'
  if (action === 'create') {
    const body = new TextEncoder().encode(JSON.stringify({ ...(name !== undefined && { name }), ...limits }))
    const answer = await ask(remote, accountsPath, {
      method: 'POST',
      body,
      type: 'application/json',
    })
    if (!isCreated(answer)) throw unexpected(remote)
    output.log(isJson ? toJson(answer) : describe(answer, remote.url))
  } else if (action === 'list') {
    const answer = await ask(remote, accountsPath)
    if (!isList(answer)) throw unexpected(remote)
    output.log(isJson ? toJson(answer) : renderTable(answer.accounts))
  } else if (action === 'password') {
    const answer = await ask(remote, `${path}/smtp-password`, {
      method: 'POST',
      body: new Uint8Array(),
      type: 'application/json',
    })
    if (!isRenewed(answer)) throw unexpected(remote)
    output.log(
      isJson ? toJson(answer) : `${toLines(smtpRows(answer.smtp))}\n\nThe password is shown only now.`,
    )
  } else {
    const answer = await ask(remote, path, { method: 'DELETE' })
    output.log(isJson ? toJson(answer) : `Removed the account ${name} with everything in it.`)
  }
  return 0
}

const accountsPath = '/dev/accounts'
const toJson = (value: unknown): string => JSON.stringify(value, null, 2)

async function ask(remote: Remote, path: string, init?: Parameters<Remote['ask']>[1]): Promise<unknown> {
  return (await remote.ask(path, init)).json().catch(() => null)
}

function readLimits({ options, own }: Arguments): AccountInput {
  const ttl = own['ttl']
  const ttlMs = ttl === undefined ? undefined : parseDuration(ttl)
  if (ttlMs === null) throw misused(`--ttl is ${quote(ttl)}; it takes a duration such as 30m, 12h or 7d.`)
  const { maxEmails, maxAgeMs } = options
  return {
    ...(ttlMs !== undefined && { ttl_ms: ttlMs }),
    ...(typeof maxEmails === 'number' && { max_emails: maxEmails }),
    ...(typeof maxAgeMs === 'number' && { max_age_ms: maxAgeMs }),
  }
}

// A URL drops dotted segments: the request would be another one.
function segmentOf(name: string): string {
  if (!['', '.', '..'].includes(name)) return encodeURIComponent(name)
  throw misused(`${quote(name)} is no name of an account.`)
}

function describe({ name, api_key, smtp, ttl_ms, expires }: CreatedAccount, url: string): string {
  const rows: [string, string][] = [['Account', name], ['URL', url], ['Key', api_key], ...smtpRows(smtp)]
  if (ttl_ms !== null && expires !== null)
    rows.push(['Removed', `${timeOf(expires)}, unless it is used before`])
  return `${toLines(rows)}\n\nThe key and the password are shown only now.`
}

const smtpRows = ({ host, port, username, password }: CreatedAccount['smtp']): [string, string][] => [
  ['SMTP', `${host}:${port}`],
  ['User name', username],
  ['Password', password],
]

const toLines = (rows: readonly [string, string][]): string =>
  rows.map(([label, value]) => `${label.padEnd(11)}${value}`).join('\n')

function renderTable(accounts: readonly AccountInfo[]): string {
  const rows = accounts.map(({ name, counts, expires, is_disabled }) => [
    name,
    String(counts.emails),
    String(counts.unread),
    expires === null ? 'never' : timeOf(expires),
    is_disabled ? 'disabled' : '',
  ])
  const all = [['Name', 'Emails', 'Unread', 'Expires', ''], ...rows]
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0))) ?? []
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const timeOf = (ms: number): string => new Date(ms).toISOString()

function isList(answer: unknown): answer is { accounts: AccountInfo[] } {
  const { accounts } = membersOf(answer)
  return Array.isArray(accounts) && accounts.every((account: unknown) => isInfo(account))
}

function isCreated(answer: unknown): answer is CreatedAccount {
  return isInfo(answer) && typeof membersOf(answer)['api_key'] === 'string' && isRenewed(answer)
}

function isRenewed(answer: unknown): answer is RenewedPassword {
  const { host, port, username, password } = membersOf(membersOf(answer)['smtp'])
  return typeof port === 'number' && [host, username, password].every((text) => typeof text === 'string')
}

function isInfo(answer: unknown): answer is AccountInfo {
  const { name, expires, counts } = membersOf(answer)
  const { emails, unread } = membersOf(counts)
  const isTime = expires === null || (typeof expires === 'number' && Math.abs(expires) <= 8.64e15)
  return typeof name === 'string' && isTime && typeof emails === 'number' && typeof unread === 'number'
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function unexpected({ url }: Remote): LocalpostError {
  const message = `${url} did not answer with accounts: it is an older Localpost, or none.`
  return new LocalpostError('unexpected_response', message)
}

function misused(message: string): LocalpostError {
  return new LocalpostError('invalid_option', message)
}
