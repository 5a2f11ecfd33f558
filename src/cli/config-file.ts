import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { invalidOption, LocalpostError, messageOf } from '../core/errors.ts'
import { isRecord } from '../core/members.ts'
import { jsonFault } from '../core/json-fault.ts'
import { allRows, type CommandOptions } from '../options/options.ts'
import { readOptions, type Rows } from '../options/read.ts'

/**
 * Reads the configuration file: the named one, else `localpost.config.{js,mjs,json}` of the folder, if any.
 *
 * @param named  A path that must exist.
 * @param folder  Where to look, and what a relative `named` is relative to.
 * @returns Its options, checked; relative paths are resolved against its own folder.
 * @throws invalid_option that names the file: it is missing, cannot be read, or has an unknown name (with the nearest
 *   real one), an old name (with the new one) or a wrong value.
 */
export async function readConfigFile(named: string | undefined, folder: string): Promise<CommandOptions> {
  const path = named
    ? resolve(folder, named)
    : fileNames.map((name) => resolve(folder, name)).find((file) => existsSync(file))
  if (!path) return {}
  const shown = relative(folder, path) || path
  if (!existsSync(path)) throw invalidOption(`There is no configuration file ${shown}.`)
  const given = await load(path, shown)
  if (!isRecord(given))
    throw invalidOption(
      `${shown} must give an object of options${path.endsWith('.json') ? '' : ' as its default export'}.`,
    )
  assertOptions(given, shown)
  return withAbsolutePaths(given, allRows, dirname(path))
}

const fileNames = ['localpost.config.js', 'localpost.config.mjs', 'localpost.config.json']

async function load(path: string, shown: string): Promise<unknown> {
  try {
    if (path.endsWith('.json')) return parseJson(await readFile(path, 'utf8'), shown)
    const module: unknown = await import(pathToFileURL(path).href)
    return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined
  } catch (error) {
    if (error instanceof LocalpostError) throw error
    throw invalidOption(`${shown} cannot be read: ${messageOf(error)}`, error)
  }
}

function parseJson(text: string, shown: string): unknown {
  // Editors on Windows write a byte order mark, which is not JSON.
  const json = text.replace(/^\uFEFF/, '')
  try {
    return JSON.parse(json)
  } catch (error) {
    throw invalidOption(`${shown} is not JSON: ${jsonFault(error, json)}.`)
  }
}

function assertOptions(given: object, shown: string): asserts given is CommandOptions {
  try {
    readOptions(given, allRows)
  } catch (error) {
    throw error instanceof LocalpostError ? invalidOption(`${shown}: ${error.message}`, error) : error
  }
}

/** Resolves the paths of files and folders against the folder of the configuration file. */
function withAbsolutePaths(options: object, rows: Rows, folder: string): object {
  const entries = Object.entries(options).map(([name, value]: [string, unknown]) => {
    const { kind, members } = rows[name] ?? {}
    if (members && value !== undefined) return [name, withAbsolutePaths(Object(value), members, folder)]
    const isPath = kind === 'file' || kind === 'folder'
    return [name, isPath && typeof value === 'string' ? resolve(folder, value) : value]
  })
  return Object.fromEntries(entries)
}
