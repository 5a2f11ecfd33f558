import { join } from 'node:path'
import type { Files } from '../../core/files.ts'

export interface DataFolder {
  readonly files: Files
  readonly paths: Paths
}

/** A data folder that is only read. */
export interface ReadableFolder {
  readonly files: Pick<Files, 'readAll' | 'size' | 'list'>
  readonly paths: Paths
}

/** Where everything in a data folder is. A new file at its top also belongs to `ownNames` in folder.ts, unless it is data. */
export interface Paths {
  readonly folder: string
  readonly checkpoint: string
  readonly db: string
  readonly lock: string
  readonly gitignore: string
  readonly reserve: string
  /** There while a copy or a salvage fills the folder. */
  readonly incomplete: string
  readonly logs: string
  readonly larges: string
  /** What is made again from the data when it is missing. */
  readonly derived: string
  log(number: number): string
  large(name: string): string
  collection(name: string): string
  segment(collection: string, number: number): string
  startIndexes(collection: string): string
  startIndex(collection: string, number: number): string
}

export function createPaths(folder: string): Paths {
  const logs = join(folder, 'log')
  const larges = join(folder, 'large')
  const derived = join(folder, 'derived')
  const startIndexes = (collection: string): string => join(derived, collection)
  return {
    folder,
    checkpoint: join(folder, 'checkpoint.json'),
    db: join(folder, dbName),
    lock: join(folder, 'lock'),
    gitignore: join(folder, '.gitignore'),
    reserve: join(folder, 'reserve'),
    incomplete: join(folder, 'incomplete.json'),
    logs,
    larges,
    derived,
    log: (number) => join(logs, `${sixDigits(number)}.log`),
    large: (name) => join(larges, name),
    collection: (name) => join(folder, name),
    segment: (collection, number) => join(folder, segmentName(collection, number)),
    startIndexes,
    startIndex: (collection, number) => join(startIndexes(collection), `${sixDigits(number)}.idx`),
  }
}

/** The file of the small collections, as `checkpoint.json` names it. */
export const dbName = 'db.json'

/** The file of a segment, as `checkpoint.json` names it. */
export function segmentName(collection: string, number: number): string {
  return `${collection}/${sixDigits(number)}.json`
}

export const largeNameForm: RegExp = /^[A-Za-z0-9_-]{1,120}\.eml$/

function sixDigits(number: number): string {
  return String(number).padStart(6, '0')
}

/** The numbers in the names of a folder's files that are `<6 to 15 digits><ending>`, in order. */
export async function numbersIn(files: Pick<Files, 'list'>, dir: string, ending: string): Promise<number[]> {
  const names = (await files.list(dir)).filter((name) => name.endsWith(ending))
  const digits = names.map((name) => name.slice(0, -ending.length)).filter((text) => /^\d{6,15}$/.test(text))
  return digits.map(Number).sort((a, b) => a - b)
}
