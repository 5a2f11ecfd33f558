import { dirname, join } from 'node:path'
import { quote } from '../core/errors.ts'
import { readTyped } from '../options/read.ts'
import { optionFlags, setOption } from './option-flags.ts'

/** The options that Mailpit's variables set, and one sentence for each variable that is read in another way or not at all. */
export interface MailpitSettings {
  options: Record<string, unknown>
  warnings: string[]
}

/**
 * Reads the variables `MP_*`, which containers set for Mailpit. An empty one counts as not set.
 *
 * @param given.isPlaceGiven  Whether an option says already where data is kept.
 * @throws invalid_option for a wrong value, with the variable's name.
 */
export function readMailpitVariables(
  variables: NodeJS.ProcessEnv,
  { isPlaceGiven }: { isPlaceGiven: boolean },
): MailpitSettings {
  const settings: MailpitSettings = { options: {}, warnings: [] }
  const named = Object.entries(variables).flatMap(([name, value = '']) =>
    name.startsWith('MP_') && value.trim() !== '' ? [[name, value.trim()] as const] : [],
  )
  const values = new Map(named)
  for (const [name, value] of named) readVariable(name, value, settings, isPlaceGiven)
  readRelay(values, settings)
  return settings
}

/** Whether any of these variables is set. */
export function hasMailpitVariables(variables: NodeJS.ProcessEnv): boolean {
  return Object.entries(variables).some(([name, value]) => name.startsWith('MP_') && value !== '')
}

/** Variables that have a flag of the same meaning. */
const flags: ReadonlyMap<string, string> = new Map([
  ['MP_MAX_MESSAGES', 'max-emails'],
  ['MP_MAX_AGE', 'max-age'],
  ['MP_UI_TLS_CERT', 'tls-cert'],
  ['MP_UI_TLS_KEY', 'tls-key'],
])
const switches: ReadonlyMap<string, string> = new Map([['MP_QUIET', 'quiet']])

/** Variables for what Localpost always does, or that have no counterpart that matters. */
const needless: ReadonlySet<string> = new Set([
  'MP_COMPRESSION',
  'MP_DISABLE_AUTO_VACUUM',
  'MP_DISABLE_HTTP_COMPRESSION',
  'MP_DISABLE_VERSION_CHECK',
  'MP_DISABLE_WAL',
  'MP_ENABLE_CHAOS',
  'MP_SMTP_AUTH_ACCEPT_ANY',
  'MP_SMTP_AUTH_ALLOW_INSECURE',
  'MP_SMTP_DISABLE_RDNS',
  'MP_VERBOSE',
])

/** What to use in place of a variable that is not read. */
const advice: ReadonlyMap<string, string> = new Map([
  ['MP_API_CORS', 'Pages of other origins cannot call it; call it from a server.'],
  ['MP_CHAOS_TRIGGERS', 'Use PUT /api/v1/chaos or /dev/faults.'],
  ['MP_LABEL', 'It has no counterpart.'],
  ['MP_MAX_MESSAGE_SIZE', 'The limit of a message is fixed.'],
  ['MP_POP3_AUTH', 'See docs/providers/mailpit.md.'],
  ['MP_SEND_API_AUTH', 'Use --api-key or --users: their keys and passwords work as Basic authentication.'],
  ['MP_SMTP_ALLOWED_RECIPIENTS', 'Use --reject-submissions with rules.'],
  ['MP_SMTP_AUTH', 'Use --smtp-auth required; passwords are API keys.'],
  ['MP_SMTP_AUTH_FILE', 'Use --smtp-auth required; passwords are API keys.'],
  ['MP_SMTP_REQUIRE_STARTTLS', 'Use --smtp-tls, which offers it.'],
  ['MP_SMTP_REQUIRE_TLS', 'Use --smtps-port.'],
  ['MP_SMTP_TLS_CERT', 'Use --tls-cert and --tls-key, which SMTP uses too, or --smtp-tls.'],
  ['MP_SMTP_TLS_KEY', 'Use --tls-cert and --tls-key, which SMTP uses too, or --smtp-tls.'],
  ['MP_TENANT_ID', 'Use an account for each tenant.'],
  [
    'MP_UI_AUTH',
    'Write the users with `localpost user add` and give --users, or use --api-key as the password.',
  ],
  [
    'MP_UI_AUTH_FILE',
    'Write the users with `localpost user add` and give --users, or use --api-key as the password.',
  ],
  ['MP_WEBHOOK_URL', 'Use /dev/webhooks; the bodies differ.'],
  ['MP_WEBROOT', 'Use a proxy that removes the prefix.'],
])

function readVariable(name: string, value: string, settings: MailpitSettings, isPlaceGiven: boolean): void {
  const { options, warnings } = settings
  const flag = flags.get(name) ?? (isOn(value) ? switches.get(name) : undefined)
  if (flag !== undefined) {
    // 0 means no limit.
    if (value !== '0') setByFlag(options, { flag, value: switches.has(name) ? 'true' : value, source: name })
    return
  }
  switch (name) {
    case 'MP_UI_BIND_ADDR':
      return readAddress(name, value, 'port', settings)
    case 'MP_SMTP_BIND_ADDR':
      return readAddress(name, value, 'smtp-port', settings)
    case 'MP_DATABASE':
    case 'MP_DATA_FILE':
      return readPlace(name, value, settings, isPlaceGiven)
    case 'MP_ENABLE_SPAMASSASSIN':
      if (value !== 'postmark') return setByFlag(options, { flag: 'spamd', value, source: name })
      warnings.push(
        `${name}=postmark is not supported: no message is sent to another company. Use --spamd host:port.`,
      )
      return
  }
  if (needless.has(name) || name.startsWith(relayPrefix) || /^(?:0|false|no|off)$/i.test(value)) return
  const what = advice.get(name)
  if (what !== undefined) warnings.push(`${name} is not read. ${what}`)
  else if (ofMailpit.test(name))
    warnings.push(`${name} is not read; docs/guides/from-mailpit.md says what Localpost has.`)
}

/** How the names of Mailpit's variables begin; others with `MP_` are those of other programs. */
const ofMailpit =
  /^MP_(?:SMTP|UI|POP3|TAG|SEND|DATA|ENABLE|DISABLE|WEBHOOK|USE|IGNORE|HIDE|BLOCK|ALLOW|LOG|DEMO)/

/** Reads an address to bind: `[::]:1025`. Both ports of Localpost bind the same host. */
function readAddress(
  name: string,
  value: string,
  portFlag: 'port' | 'smtp-port',
  { options, warnings }: MailpitSettings,
): void {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([\w.-]*)):(\d{1,5})$/i.exec(value) ?? []
  setByFlag(options, { flag: portFlag, value: port ?? value, source: name })
  const host = bracketed ?? (plain || '0.0.0.0')
  if (options['host'] === undefined || options['host'] === host)
    setByFlag(options, { flag: 'host', value: host, source: name })
  else
    warnings.push(`${name} names the address ${quote(host)}, but both ports bind ${quote(options['host'])}.`)
}

/** Reads the file of Mailpit's database as a data folder beside it. */
function readPlace(
  name: string,
  value: string,
  { options, warnings }: MailpitSettings,
  isPlaceGiven: boolean,
): void {
  if (isPlaceGiven || value.includes('://')) {
    const why = isPlaceGiven
      ? 'another option says where data is kept'
      : 'Localpost keeps data in a folder or in PostgreSQL: use --dir or --store'
    warnings.push(`${name} is not read: ${why}.`)
    return
  }
  const dir = join(dirname(value), 'localpost')
  setByFlag(options, { flag: 'dir', value: dir, source: name })
  warnings.push(`${name} is read as --dir ${dir}. Messages of Mailpit’s database are not read.`)
}

const relayPrefix = 'MP_SMTP_RELAY_'

function readRelay(values: ReadonlyMap<string, string>, { options, warnings }: MailpitSettings): void {
  const of = (name: string): string => values.get(relayPrefix + name) ?? ''
  const host = of('HOST')
  if (host !== '') {
    const scheme = isOn(of('TLS')) ? 'smtps' : 'smtp'
    const user =
      of('USERNAME') === ''
        ? ''
        : `${encodeURIComponent(of('USERNAME'))}:${encodeURIComponent(of('PASSWORD'))}@`
    const value = `${scheme}://${user}${host}:${of('PORT') || '25'}`
    setByFlag(options, { flag: 'relay', value, source: `${relayPrefix}HOST` })
  }
  if (isOn(of('ALL'))) setByFlag(options, { flag: 'relay-all', value: 'true', source: `${relayPrefix}ALL` })
  const read = new Set(['HOST', 'PORT', 'TLS', 'STARTTLS', 'USERNAME', 'PASSWORD', 'AUTH', 'ALL'])
  for (const name of values.keys())
    if (name.startsWith(relayPrefix) && !read.has(name.slice(relayPrefix.length)))
      warnings.push(`${name} is not read: a message is released to the addresses that are given, unchanged.`)
}

const isOn = (value: string): boolean => /^(?:1|true|yes|on)$/i.test(value)

/** @param given.source  The variable, for messages. */
function setByFlag(
  options: Record<string, unknown>,
  { flag, value, source }: { flag: string; value: string; source: string },
): void {
  const found = optionFlags.find(({ name }) => name === flag)
  if (!found) throw new Error(`There is no flag --${flag}.`)
  setOption(options, found.option.path, readTyped([value], found.option, source))
}
