import { corrupt } from '../io-errors.ts'
import type { LogPosition } from './log.ts'
import type { Schema, StoredObject } from './migrate.ts'
import { isSealed, sealed } from '../sealed.ts'
import { isObject } from '../stored.ts'

/** The content of `checkpoint.json`: the log position up to which the snapshot contains every commit. */
export interface Checkpoint extends LogPosition {
  readonly schema: number
  readonly seq: number
  /**
   * The snapshot files that must exist, as paths within the folder. If one is missing, its data is lost. Absent in
   * checkpoints of older versions.
   */
  readonly files?: readonly string[] | undefined
  /**
   * By file name, the commit up to which that file contains all commits. A file on the disk that contains less is an
   * older copy. Absent for files that an older version wrote.
   */
  readonly contains?: Readonly<Record<string, number>> | undefined
  /** The writer of the log after this position; absent in checkpoints of older versions. */
  readonly writer?: LogWriter | undefined
}

/** The boot and the durability with which a log was written, to decide what a power cut may have lost. */
export interface LogWriter {
  /** Identifies the boot of the machine; `""` when the system does not provide it. */
  readonly boot: string
  readonly durability: 'process' | 'disk'
}

/** A checkpoint as read from the disk. */
export interface ReadCheckpoint extends Checkpoint {
  /** Whether it has a checksum. Localpost 0.1 wrote none. */
  readonly sealed: boolean
}

/** The file's text, with its checksum at the end. */
export function checkpointText({ schema, log, offset, seq, files, contains, writer }: Checkpoint): string {
  return sealed({ schema, log, offset, seq, files, contains, ...writer })
}

/**
 * Parses `checkpoint.json`. Without a checksum it may only have the members that Localpost 0.1 wrote.
 *
 * @throws store_corrupt, store_newer_schema.
 */
export function parseCheckpoint(bytes: Buffer, path: string, schema: Schema): ReadCheckpoint {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw corrupt(`${path}:1`, 'it is not valid JSON.', restoreIt, error)
  }
  if (!isObject(value)) throw corrupt(path, 'it is not an object.', restoreIt)
  const known = schema.assertKnown(value.schema, path)
  const hasCrc = 'crc' in value
  if (hasCrc ? !isSealed(bytes) : Object.keys(value).some((name) => !oldMembers.has(name)))
    throw corrupt(`${path}:1`, 'it is not what Localpost wrote: its checksum does not fit.', restoreIt)
  const { log, offset, seq, files, contains } = value
  if (!isCount(log) || log < 1 || !isCount(offset) || !isCount(seq))
    throw corrupt(path, '`log`, `offset` or `seq` is missing.', restoreIt)
  if (files !== undefined && !isNames(files)) throw corrupt(path, '`files` is no list of names.', restoreIt)
  if (contains !== undefined && !isCounts(contains))
    throw corrupt(path, '`contains` is no list of commits.', restoreIt)
  return { schema: known, log, offset, seq, files, contains, writer: writerOf(value), sealed: hasCrc }
}

const restoreIt = 'Restore it from a copy of the whole folder.'
const oldMembers = new Set(['schema', 'log', 'offset', 'seq', 'files'])

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isCounts(value: unknown): value is Record<string, number> {
  return isObject(value) && Object.values(value).every(isCount)
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function writerOf({ boot, durability }: StoredObject): LogWriter | undefined {
  if (typeof boot !== 'string') return undefined
  return durability === 'disk' || durability === 'process' ? { boot, durability } : undefined
}
