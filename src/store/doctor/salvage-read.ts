import type { Files } from '../../core/files.ts'
import { nextTurn } from '../../core/machine.ts'
import type { CheckpointDeps } from '../disk/checkpoint.ts'
import { type Checkpoint, parseCheckpoint } from '../disk/checkpoint-text.ts'
import { type Frame, frameStart, readFrame } from '../disk/frame.ts'
import { applyFrame } from '../disk/load.ts'
import type { Schema } from '../disk/migrate.ts'
import { numberOf, type Paths } from '../disk/paths.ts'
import { listSnapshot, missingFrom } from '../disk/snapshot-files.ts'
import { wholeLines } from '../disk/snapshot-damage.ts'
import { parseSnapshot } from '../disk/snapshot-text.ts'
import { fillRecords } from '../disk/snapshot.ts'
import type { Records } from '../records.ts'

/** What salvaging reads from, and where it puts what it finds. */
export interface SalvageReading {
  readonly files: Files
  readonly paths: Paths
  readonly schema: Schema
  readonly records: Records
  /** Takes a sentence for each thing that is damaged or missing. */
  readonly lost: string[]
}

/**
 * Takes every whole record of `db.json` and the segments into memory.
 *
 * @returns The checkpoint, or null where it is damaged or missing.
 */
export async function salvageRecords(reading: SalvageReading): Promise<Checkpoint | null> {
  const { files, paths, schema, records, lost } = reading
  const checkpoint = await readCheckpoint(reading)
  const found = await listSnapshot({ files, paths })
  for (const name of checkpoint ? missingFrom(checkpoint, found) : []) lost.push(`${name} is missing.`)
  for (const { name, path, segment } of found) {
    const bytes = (await files.readAll(path)) ?? Buffer.alloc(0)
    try {
      fillRecords(records, parseSnapshot(bytes, path, schema).snapshot, segment, schema, path)
    } catch (error) {
      lost.push(error instanceof Error ? error.message : String(error))
      const collection = segment === 0 ? null : name.slice(0, name.indexOf('/'))
      const known = (section: string): boolean => records.collections.has(section)
      const { snapshot, damaged } = wholeLines(bytes, collection, known)
      for (const line of damaged) lost.push(`${path}:${line} is damaged; the record on it is lost.`)
      fillRecords(records, snapshot, segment, schema, path)
    }
    await nextTurn()
  }
  return checkpoint
}

async function readCheckpoint({ files, paths, schema, lost }: SalvageReading): Promise<Checkpoint | null> {
  const bytes = await files.readAll(paths.checkpoint)
  try {
    if (bytes) return parseCheckpoint(bytes, paths.checkpoint, schema)
    lost.push(`${paths.checkpoint} is missing.`)
  } catch (error) {
    lost.push(error instanceof Error ? error.message : String(error))
  }
  return null
}

/**
 * Applies every whole commit that the records may not hold yet. Without a checkpoint these are the last ones without
 * a gap before them: an older one may restore what a later, lost commit had removed.
 */
export async function salvageLog(reading: SalvageReading, checkpoint: Checkpoint | null): Promise<void> {
  const { files, paths, records, schema, lost } = reading
  const deps: CheckpointDeps = {
    files,
    paths,
    schema,
    durable: false,
    boot: '',
    onNotice() {},
  }
  const names = await files.list(paths.logs)
  const numbers = names.map((name) => numberOf(name, '.log')).filter((number) => number !== null)
  let run: { frame: Frame; log: number }[] = []
  for (const log of numbers.sort((a, b) => a - b)) {
    if (checkpoint && log < checkpoint.log) continue
    const bytes = (await files.readAll(paths.log(log))) ?? Buffer.alloc(0)
    let at = checkpoint?.log === log ? checkpoint.offset : 0
    while (at < bytes.byteLength) {
      const frame = wholeFrame(bytes, at)
      if (!frame) {
        const next = nextWhole(bytes, at)
        lost.push(`${paths.log(log)} is damaged from byte ${at} to byte ${next}; the commits there are lost.`)
        at = next
        continue
      }
      if (!checkpoint && run.length > 0 && run.at(-1)?.frame.seq !== frame.seq - 1) run = []
      if (frame.seq > (checkpoint?.seq ?? 0)) run.push({ frame, log })
      at = frame.end
    }
    await nextTurn()
  }
  for (const { frame, log } of run) {
    try {
      applyFrame(deps, records, checkpoint?.schema ?? schema.version, frame, log)
    } catch (error) {
      lost.push(error instanceof Error ? error.message : String(error))
    }
  }
}

function nextWhole(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(frameStart, from + 1)
  while (at >= 0 && !wholeFrame(bytes, at)) at = bytes.indexOf(frameStart, at + 1)
  return at < 0 ? bytes.byteLength : at
}

function wholeFrame(bytes: Buffer, at: number): Frame | null {
  try {
    return readFrame(bytes, at)
  } catch {
    return null
  }
}
