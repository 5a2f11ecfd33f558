import { parseDuration } from '../core/duration.ts'
import { LocalpostError } from '../core/errors.ts'
import { complaintOf } from '../options/option-checks.ts'
import { resolveOptions } from '../options/options.ts'
import type { Flag } from './flags.ts'

/**
 * Reads what was typed for a flag, or stands in its variable.
 *
 * @param source  Whose value it is, as a message names it: `--port`, `LOCALPOST_PORT`.
 * @throws invalid_option with source, value and what it takes.
 */
export function readValue(flag: Flag, texts: readonly string[], source: string): unknown {
  const wrong = texts.find((text) => !isReadable(flag, text))
  if (wrong !== undefined) {
    throw new LocalpostError('invalid_option', `${source} ${complaintOf(flag.option, wrong, flag.takes)}`)
  }
  return readers[flag.kind](texts)
}

/**
 * Checks one option by itself, whatever the others are.
 *
 * @throws invalid_option with the option, the value and what it takes.
 */
export function assertOption(option: string, value: unknown): void {
  if (option === 'port') {
    if (!takes('smtpPort', value)) refuse(option, value, 'a port from 0 to 65535')
  } else if (option === 'dnsServers') {
    const given: object = { dns: { servers: value } }
    resolveOptions(given)
  } else if (fileNames.includes(option)) {
    if (typeof value !== 'string' || value === '') refuse(option, value, 'the path of a file')
  } else if (switchNames.includes(option)) {
    if (typeof value !== 'boolean') refuse(option, value, 'true or false')
  } else {
    // A relay may come from elsewhere, and relayAll alone would be refused for want of one.
    const others = option === 'relayAll' ? { relay: 'smtp://localhost' } : {}
    const given: object = { ...others, [option]: value }
    resolveOptions(given)
  }
}

/** Every name that a configuration file may use. */
export function optionNames(): string[] {
  return ['port', 'dnsServers', ...fileNames, ...switchNames, ...Object.keys(resolveOptions())]
}

// Beside the library's.
const fileNames = ['apiKeyFile', 'relayPasswordFile']
const switchNames = ['memory', 'quiet']

const readers: Record<Flag['kind'], (texts: readonly string[]) => unknown> = {
  switch: (texts) => /^(?:1|true)$/i.test(texts.at(-1) ?? ''),
  port: (texts) => Number(texts.at(-1)),
  list: (texts) => [...texts],
  text: (texts) => texts.at(-1),
  count: (texts) => Number(texts.at(-1)),
  duration: (texts) => parseDuration(texts.at(-1) ?? ''),
}

function isReadable({ kind, option }: Flag, text: string): boolean {
  if (kind === 'switch') return /^(?:1|true|0|false)$/i.test(text)
  if (kind === 'port' && !/^\d{1,5}$/.test(text)) return false
  if (kind === 'count' && !/^\d{1,15}$/.test(text)) return false
  return takes(option, readers[kind]([text]))
}

function takes(option: string, value: unknown): boolean {
  try {
    assertOption(option, value)
    return true
  } catch {
    return false
  }
}

function refuse(option: string, value: unknown, wanted: string): never {
  throw new LocalpostError('invalid_option', `Option "${option}" ${complaintOf(option, value, wanted)}`)
}
