import { dirname } from 'node:path'
import { corrupt } from '../io-errors.ts'
import type { CommitPosition } from './log.ts'
import { assertKnownFormat, formatVersion, unreleasedFormat } from './format.ts'
import { isSealed, sealed } from '../sealed.ts'
import { isRecord } from '../../core/members.ts'

/** The content of `checkpoint.json`: the log position up to which the snapshot contains every commit. */
export interface Checkpoint extends CommitPosition {
  /** The snapshot files that must exist, as paths within the folder. If one is missing, its data is lost. */
  readonly files: readonly string[]
  /** By file name, the commit up to which it contains all. A file on the disk that contains less is an older copy. */
  readonly contains: Readonly<Record<string, number>>
  readonly writer: LogWriter
}

/** The boot and the durability with which a log was written, to decide what a power cut may have lost. */
export interface LogWriter {
  /** Identifies the boot of the machine; `""` when the system does not provide it. */
  readonly boot: string
  readonly durability: 'process' | 'disk'
}

export function checkpointText({ log, offset, seq, files, contains, writer }: Checkpoint): string {
  return sealed({ schema: formatVersion, log, offset, seq, files, contains, ...writer })
}

/** @throws store_corrupt; store_newer_schema; invalid_option for the format of a build from before the first release. */
export function parseCheckpoint(bytes: Buffer, path: string): Checkpoint {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw corrupt(`${path}:1`, 'it is not valid JSON.', restoreIt, error)
  }
  if (!isRecord(value)) throw corrupt(path, 'it is not an object.', restoreIt)
  assertKnownFormat(value.schema, path)
  if (isFirstForm(value) || lacksListOrWriter(bytes, value))
    throw unreleasedFormat(`The data folder ${dirname(path)}`)
  if (!isSealed(bytes))
    throw corrupt(`${path}:1`, 'it is not what Localpost wrote: its checksum does not fit.', restoreIt)
  const { log, offset, seq, files, contains = {}, boot, durability } = value
  const isPosition = isCount(log) && log >= 1 && isCount(offset) && isCount(seq)
  const isWriter = typeof boot === 'string' && (durability === 'disk' || durability === 'process')
  if (!isPosition || !isTexts(files) || !isCounts(contains) || !isWriter)
    throw corrupt(path, 'one of its members is missing, or not what it should be.', restoreIt)
  return { log, offset, seq, files, contains, writer: { boot, durability } }
}

const restoreIt = 'Restore it from a copy of the whole folder.'

/** The members that the first builds wrote, without a checksum. Later ones wrote a checksum, and added the other members. */
const firstMembers = new Set(['schema', 'log', 'offset', 'seq', 'files'])

function isFirstForm(value: Readonly<Record<string, unknown>>): boolean {
  return 'seq' in value && Object.keys(value).every((name) => firstMembers.has(name))
}

function lacksListOrWriter(bytes: Buffer, value: Readonly<Record<string, unknown>>): boolean {
  if (!('crc' in value) || !isSealed(bytes)) return false
  // A folder without files of records has no list of what they contain.
  const isListed = Array.isArray(value.files) && (value.files.length === 0 || 'contains' in value)
  return !isListed || !('durability' in value)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isCounts(value: unknown): value is Record<string, number> {
  return isRecord(value) && Object.values(value).every(isCount)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}
