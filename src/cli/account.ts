import { z } from 'zod'
import type { AccountInput } from '../accounts/types.ts'
import { parseDuration } from '../core/duration.ts'
import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { Arguments } from './arguments.ts'
import type { Output } from './output.ts'
import { type RemoteRequest, connect, readAnswer, type Remote } from './remote.ts'

/**
 * Runs `localpost account create|list|password|remove`, which manage the accounts of a running server.
 *
 * @returns The exit code.
 * @throws invalid_option for a wrong command line, request_failed if the server does not answer, else its error.
 */
export async function runAccount(given: Arguments, output: Output): Promise<0> {
  const [word = '', name, ...others] = given.words
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined
  const isNamed = name !== undefined
  if (!action || others.length > 0 || action.takesName === (isNamed ? 'none' : 'required'))
    throw invalidOption(
      'Use one of: account create [name], account list, account password <name>, account remove <name>.',
    )
  const limits = readLimits(given)
  if (word !== 'create' && Object.keys(limits).length > 0)
    throw invalidOption('--ttl, --max-emails and --max-age are for account create.')
  const input = { ...(isNamed && { name }), ...limits }
  const path = isNamed ? `${accountsPath}/${segmentOf(name)}` : accountsPath
  const { answer, text } = await action.run(await connect(given, process.env, output), path, input)
  output.log(given.flags['json'] === 'true' ? JSON.stringify(answer, null, 2) : text)
  return 0
}

const accountsPath = '/dev/accounts'

interface Action {
  takesName: 'none' | 'optional' | 'required'
  /** @param path  That of the named account, else of all. */
  run(remote: Remote, path: string, input: AccountInput): Promise<{ answer: unknown; text: string }>
}

const actions: Readonly<Record<string, Action>> = {
  create: {
    takesName: 'optional',
    async run(remote, _, input) {
      const request = { method: 'POST', body: JSON.stringify(input) } as const
      const answer = await ask(remote, createdSchema, accountsPath, request)
      return { answer, text: describe(answer, remote.url) }
    },
  },
  list: {
    takesName: 'none',
    async run(remote, path) {
      const answer = await ask(remote, listSchema, path)
      return { answer, text: renderTable(answer.accounts) }
    },
  },
  password: {
    takesName: 'required',
    async run(remote, path) {
      const answer = await ask(remote, renewedSchema, `${path}/smtp-password`, { method: 'POST' })
      return { answer, text: `${toLines(smtpRows(answer.smtp))}\n\nThe password is shown only now.` }
    },
  },
  remove: {
    takesName: 'required',
    async run(remote, path, { name }) {
      const answer = await ask(remote, z.unknown(), path, { method: 'DELETE' })
      return { answer, text: `Removed the account ${name} with everything in it.` }
    },
  },
}

function readLimits({ options, flags }: Arguments): AccountInput {
  const ttl = flags['ttl']
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
  const head = ['Name', 'Emails', 'Unread', 'Expires', '']
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const lineOf = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return [head, ...rows].map((row) => lineOf(row).trimEnd()).join('\n')
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

async function ask<T>(remote: Remote, schema: z.ZodType<T>, path: string, init?: RemoteRequest): Promise<T> {
  const complaint = 'did not answer with accounts: it is an older Localpost, or none.'
  return await readAnswer(remote, schema, complaint, path, init)
}
