import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LocalpostError } from '../core/errors.ts'
import { suggest } from '../core/suggest.ts'
import { assertOption, optionNames } from './values.ts'

/** The configuration file's options, checked; paths in it are made absolute from its own folder. */
export type FileOptions = Record<string, unknown>

/**
 * Reads the configuration file: the named one, else `localpost.config.{js,mjs,json}` of the folder, if any.
 *
 * @param named  A path that must exist.
 * @param folder  Where to look, and what a relative `named` is relative to.
 * @throws invalid_option that names the file: it is missing, cannot be read, or has an unknown name
 *   (with the nearest real one) or a wrong value.
 */
export async function readConfigFile(named: string | undefined, folder: string): Promise<FileOptions> {
  const path = named
    ? resolve(folder, named)
    : names.map((name) => resolve(folder, name)).find((file) => existsSync(file))
  if (!path) return {}
  const shown = relative(folder, path) || path
  if (!existsSync(path)) throw refusal(`There is no configuration file ${shown}.`)
  const given = await load(path, shown)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw refusal(
      `${shown} must give an object of options${path.endsWith('.json') ? '' : ' as its default export'}.`,
    )
  }
  for (const [name, value] of Object.entries(given)) assertEntry(name, value, shown)
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return withFolders(Object.fromEntries(set), dirname(path))
}

const names = ['localpost.config.js', 'localpost.config.mjs', 'localpost.config.json']

async function load(path: string, shown: string): Promise<unknown> {
  try {
    if (path.endsWith('.json')) return JSON.parse(await readFile(path, 'utf8')) as unknown
    const module: unknown = await import(pathToFileURL(path).href)
    return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined
  } catch (error) {
    throw refusal(`${shown} cannot be read: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}

function assertEntry(name: string, value: unknown, shown: string): void {
  if (!optionNames().includes(name)) {
    const near = suggest(name, optionNames())
    const hint = near ? `Did you mean "${near}"?` : `Known: ${optionNames().join(', ')}.`
    throw refusal(`${shown} has an unknown option "${name}". ${hint}`)
  }
  try {
    assertOption(name, value)
  } catch (error) {
    throw error instanceof LocalpostError ? refusal(`${shown}: ${error.message}`, error) : error
  }
}

// A file given with --config may stand elsewhere: its paths mean its own neighbours, wherever one starts from.
function withFolders(options: FileOptions, folder: string): FileOptions {
  for (const name of ['dir', 'apiKeyFile', 'relayPasswordFile']) {
    const path = options[name]
    if (typeof path === 'string') options[name] = resolve(folder, path)
  }
  const { attachments } = options
  if (
    typeof attachments === 'object' &&
    attachments &&
    'root' in attachments &&
    typeof attachments.root === 'string'
  ) {
    options['attachments'] = { ...attachments, root: resolve(folder, attachments.root) }
  }
  return options
}

function refusal(message: string, cause?: unknown): LocalpostError {
  return new LocalpostError('invalid_option', message, { cause })
}
