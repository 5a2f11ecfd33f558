import { dirname, join } from 'node:path'
import { quote } from '../core/quote.ts'
import { readTyped } from '../options/read.ts'
import table from './mailpit-variables.json' with { type: 'json' }
import { optionFlags, setOption } from './option-flags.ts'

/** What Mailpit's variables say. */
export interface MailpitSettings {
  /** Whether any of them is set. */
  isUsed: boolean
  /** The options that they set, checked. */
  options: Record<string, unknown>
  /** One sentence for each variable that is read in another way or not at all. */
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
  const values = new Map(
    Object.entries(variables)
      .map(([name, value = '']) => [name, value.trim()] as const)
      .filter(([name, value]) => name.startsWith('MP_') && value !== ''),
  )
  const settings: MailpitSettings = { isUsed: values.size > 0, options: {}, warnings: [] }
  // 0 turns a switch off, and as a number means no limit.
  for (const [name, value] of values)
    if (!/^(?:0|false|no|off)$/i.test(value)) readVariable(name, value, settings, isPlaceGiven)
  readRelay(values, settings)
  return settings
}

/** Variables that have a flag of the same meaning. */
const flags: Readonly<Record<string, string>> = table.flags
/** Variables for what Localpost always does, or that have no counterpart that matters. */
const needless: ReadonlySet<string> = new Set(table.needless)
/** What to use in place of a variable that is not read. */
const advice: Readonly<Record<string, string>> = table.advice

function readVariable(name: string, value: string, settings: MailpitSettings, isPlaceGiven: boolean): void {
  const { options, warnings } = settings
  const flag = flags[name]
  if (flag !== undefined) return setByFlag(options, { flag, value, variable: name })
  switch (name) {
    case 'MP_QUIET':
      if (isOn(value)) setByFlag(options, { flag: 'quiet', value: 'true', variable: name })
      return
    case 'MP_UI_BIND_ADDR':
      return readAddress(name, value, 'port', settings)
    case 'MP_SMTP_BIND_ADDR':
      return readAddress(name, value, 'smtp-port', settings)
    case 'MP_DATABASE':
    case 'MP_DATA_FILE':
      return readPlace(name, value, settings, isPlaceGiven)
    case 'MP_ENABLE_SPAMASSASSIN':
      if (value !== 'postmark') return setByFlag(options, { flag: 'spamd', value, variable: name })
      warnings.push(
        `${name}=postmark is not supported: no message is sent to another company. Use --spamd host:port.`,
      )
      return
  }
  if (needless.has(name) || name.startsWith(relayPrefix)) return
  if (advice[name] !== undefined) warnings.push(`${name} is not read. ${advice[name]}`)
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
  const [, ipv6, ipv4OrName, port] = /^(?:\[([\da-f:.]+)\]|([\w.-]*)):(\d{1,5})$/i.exec(value) ?? []
  setByFlag(options, { flag: portFlag, value: port ?? value, variable: name })
  const host = ipv6 ?? (ipv4OrName || '0.0.0.0')
  if (options['host'] === undefined || options['host'] === host)
    setByFlag(options, { flag: 'host', value: host, variable: name })
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
  setByFlag(options, { flag: 'dir', value: dir, variable: name })
  warnings.push(`${name} is read as --dir ${dir}. Messages of Mailpit's database are not read.`)
}

const relayPrefix = 'MP_SMTP_RELAY_'

function readRelay(values: ReadonlyMap<string, string>, { options, warnings }: MailpitSettings): void {
  const valueOf = (name: string): string => values.get(relayPrefix + name) ?? ''
  const [host, user] = [valueOf('HOST'), encodeURIComponent(valueOf('USERNAME'))]
  if (host !== '') {
    const scheme = isOn(valueOf('TLS')) ? 'smtps' : 'smtp'
    const credentials = user === '' ? '' : `${user}:${encodeURIComponent(valueOf('PASSWORD'))}@`
    const value = `${scheme}://${credentials}${host}:${valueOf('PORT') || '25'}`
    setByFlag(options, { flag: 'relay', value, variable: `${relayPrefix}HOST` })
  }
  if (isOn(valueOf('ALL')))
    setByFlag(options, { flag: 'relay-all', value: 'true', variable: `${relayPrefix}ALL` })
  const read = new Set(['HOST', 'PORT', 'TLS', 'STARTTLS', 'USERNAME', 'PASSWORD', 'AUTH', 'ALL'])
  for (const name of values.keys())
    if (name.startsWith(relayPrefix) && !read.has(name.slice(relayPrefix.length)))
      warnings.push(`${name} is not read: a message is released to the addresses that are given, unchanged.`)
}

const isOn = (value: string): boolean => /^(?:1|true|yes|on)$/i.test(value)

/** Sets the option of a flag. @param given.variable  Where the value comes from, for messages. */
function setByFlag(
  options: Record<string, unknown>,
  { flag, value, variable }: { flag: string; value: string; variable: string },
): void {
  const found = optionFlags.find(({ name }) => name === flag)
  if (!found) throw new Error(`There is no flag --${flag}.`)
  setOption(options, found.option.path, readTyped([value], found.option, variable))
}
