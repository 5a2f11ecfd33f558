import { z } from 'zod'
import type { AccountInput } from '../accounts/types.ts'
import { parseDuration } from '../core/duration.ts'
import { invalidOption, quote } from '../core/errors.ts'
import type { Arguments } from './arguments.ts'
import type { Output } from './output.ts'
import { type Asked, connect, readAnswer, type Remote } from './remote.ts'

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
    throw invalidOption(
      'Use one of: account create [name], account list, account password <name>, account remove <name>.',
    )
  const limits = readLimits(given)
  if (action !== 'create' && Object.keys(limits).length > 0)
    throw invalidOption('--ttl, --max-emails and --max-age are for account create.')
  const path = name === undefined ? accountsPath : `${accountsPath}/${segmentOf(name)}`
  const remote = await connect(given, process.env, output)
  const print = (answer: unknown, text: string): void =>
    output.log(given.own['json'] === 'true' ? JSON.stringify(answer, null, 2) : text)
  if (action === 'create') {
    const body = { ...(name !== undefined && { name }), ...limits }
    const answer = await ask(remote, createdSchema, accountsPath, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    print(answer, describe(answer, remote.url))
  } else if (action === 'list') {
    const answer = await ask(remote, listSchema, accountsPath)
    print(answer, renderTable(answer.accounts))
  } else if (action === 'password') {
    const answer = await ask(remote, renewedSchema, `${path}/smtp-password`, { method: 'POST' })
    print(answer, `${toLines(smtpRows(answer.smtp))}\n\nThe password is shown only now.`)
  } else {
    const answer = await ask(remote, z.unknown(), path, { method: 'DELETE' })
    print(answer, `Removed the account ${name} with everything in it.`)
  }
  return 0
}

const accountsPath = '/dev/accounts'

function readLimits({ options, own }: Arguments): AccountInput {
  const ttl = own['ttl']
  const ttlMs = ttl === undefined ? undefined : parseDuration(ttl)
  if (ttlMs === null)
    throw invalidOption(`--ttl is ${quote(ttl)}; it takes a duration such as 30m, 12h or 7d.`)
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
  throw invalidOption(`${quote(name)} is no name of an account.`)
}

function describe({ name, api_key, smtp, expires }: z.infer<typeof createdSchema>, url: string): string {
  const rows: [string, string][] = [['Account', name], ['URL', url], ['Key', api_key], ...smtpRows(smtp)]
  if (expires !== null) rows.push(['Removed', `${timeOf(expires)}, unless it is used before`])
  return `${toLines(rows)}\n\nThe key and the password are shown only now.`
}

const smtpRows = ({ host, port, username, password }: z.infer<typeof smtpSchema>): [string, string][] => [
  ['SMTP', `${host}:${port}`],
  ['User name', username],
  ['Password', password],
]

const toLines = (rows: readonly [string, string][]): string =>
  rows.map(([label, value]) => `${label.padEnd(11)}${value}`).join('\n')

function renderTable(accounts: readonly z.infer<typeof infoSchema>[]): string {
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

const smtpSchema = z.object({
  host: z.string(),
  port: z.number(),
  username: z.string(),
  password: z.string(),
})
const infoSchema = z.object({
  name: z.string(),
  // The times that a `Date` can show.
  expires: z.number().min(-8.64e15).max(8.64e15).nullable(),
  counts: z.object({ emails: z.number(), unread: z.number() }),
  is_disabled: z.boolean().optional(),
})
const listSchema = z.object({ accounts: z.array(infoSchema) })
const renewedSchema = z.object({ smtp: smtpSchema })
const createdSchema = infoSchema.extend({ api_key: z.string(), smtp: smtpSchema })

async function ask<T>(remote: Remote, schema: z.ZodType<T>, path: string, init?: Asked): Promise<T> {
  const lacks = 'did not answer with accounts: it is an older Localpost, or none.'
  return await readAnswer(remote, schema, lacks, path, init)
}
