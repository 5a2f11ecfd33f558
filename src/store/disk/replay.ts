import { corrupt } from '../io-errors.ts'
import type { LogWriter } from './checkpoint-text.ts'
import { findFrame, type Frame, isBeginning, readFrame } from './frame.ts'
import type { CommitPosition, LogPosition } from './log.ts'
import { numbersIn, type Paths, type ReadableFolder } from './paths.ts'

/**
 * What may be missing from the end of the log. `prefix`: only the process ended, so the last write may be incomplete.
 * `tail`: after a power cut, with synced commits, any part of the last write may be missing. `pages`: after a power cut,
 * without synced commits, any part of the log may be missing.
 */
export type Loss = 'prefix' | 'tail' | 'pages'

/** A power cut is assumed when the machine was restarted after the log was written, or when this cannot be determined. */
export function lossOf(writer: LogWriter, boot: string): Loss {
  if (boot !== '' && writer.boot === boot) return 'prefix'
  return writer.durability === 'disk' ? 'tail' : 'pages'
}

export interface Replayed {
  /** The number of the last complete commit. */
  readonly seq: number
  readonly lengths: Map<number, number>
  /** Where the first incomplete commit begins; null when the log ends with a complete commit. */
  readonly broken: LogPosition | null
}

/**
 * Reads the log from a position on. Does not change any file.
 *
 * An incomplete frame at the end is normal after a crash: its commit was not acknowledged. Complete frames may follow
 * it only if they belong to the same synced write, or if a power cut may have lost pages. Anything else that cannot be
 * read is damage and throws.
 *
 * @param apply  Takes each commit. May throw store_corrupt.
 * @throws store_corrupt.
 */
export async function replayLog(
  { files, paths }: ReadableFolder,
  from: CommitPosition,
  loss: Loss,
  apply: (frame: Frame, log: number) => void,
): Promise<Replayed> {
  const lengths = new Map<number, number>()
  for (const log of await numbersIn(files, paths.logs, '.log'))
    lengths.set(log, (await files.size(paths.log(log))) ?? 0)
  const gap = gapIn(lengths, from, paths, loss)
  let { seq } = from
  let broken: LogPosition | null = null
  for (const log of lengths.keys()) {
    if (log < from.log) continue
    if (loss === 'pages' && (broken || log === gap)) {
      broken ??= { log, offset: 0 }
      break
    }
    const path = paths.log(log)
    const bytes = (await files.readAll(path)) ?? Buffer.alloc(0)
    if (broken) {
      assertNoLaterWrite(bytes, 0, { seq, broken, path, paths })
      continue
    }
    let at = log === from.log ? from.offset : 0
    // With lost pages, the commits before this file may be missing; then it is set aside.
    const isBehindGap = loss === 'pages' && log !== from.log && (readFrame(bytes, 0)?.seq ?? 0) > seq + 1
    let frame = isBehindGap ? null : nextFrame(bytes, at, seq, path)
    while (frame) {
      apply(frame, log)
      seq = frame.seq
      at = frame.end
      frame = nextFrame(bytes, at, seq, path)
    }
    if (at === bytes.byteLength) continue
    broken = { log, offset: at }
    if (loss !== 'pages') assertNoLaterWrite(bytes, at, { seq, broken, path, paths })
    if (loss === 'prefix') assertBeginning(bytes, at, path)
  }
  return { seq, lengths, broken }
}

/** The frame at a byte, if it is complete. @throws store_corrupt if it is not the next one: it would be dropped. */
function nextFrame(bytes: Buffer, at: number, seq: number, path: string): Frame | null {
  const frame = at < bytes.byteLength ? readFrame(bytes, at) : null
  if (!frame || frame.seq === seq + 1) return frame
  const what = `the complete commit ${frame.seq} is at byte ${at}, where commit ${seq + 1} is expected.`
  throw corrupt(`${path}:${at}`, what, 'Restore the whole folder from a copy.')
}

/** The first file after a gap in the numbers that a power cut may have caused; else null. @throws store_corrupt */
function gapIn(
  lengths: ReadonlyMap<number, number>,
  from: LogPosition,
  paths: Paths,
  loss: Loss,
): number | null {
  const later = [...lengths.keys()].filter((log) => log >= from.log)
  if (later.length === 0) {
    // Before its first commit a store has no log at all.
    if (from.offset === 0) return null
    throw missingLog(paths, from.log)
  }
  for (const [i, log] of later.entries()) {
    if (log === from.log + i) continue
    if (loss === 'pages' && (i > 0 || from.offset === 0)) return log
    throw missingLog(paths, from.log + i)
  }
  const length = lengths.get(from.log) ?? 0
  if (length >= from.offset) return null
  const what = `it ends at byte ${length}, but its commits up to byte ${from.offset} are in use.`
  throw corrupt(paths.log(from.log), what, 'Restore it from a copy.')
}

function missingLog(paths: Paths, log: number): Error {
  return corrupt(paths.log(log), 'this file of the log is missing.', 'Restore it from a copy.')
}

/**
 * A complete frame of a later write than the incomplete one shows that the incomplete write had been acknowledged, so
 * it is damaged. A power cut can keep the end of a write and lose its beginning, so frames of the incomplete write
 * itself do not count.
 *
 * @param seq  The seq of the last complete commit before the incomplete frame, which is at `broken`.
 */
function assertNoLaterWrite(
  bytes: Buffer,
  from: number,
  { seq, broken, path, paths }: { seq: number; broken: LogPosition; path: string; paths: Paths },
): void {
  const at = findFrame(bytes, from, seq, (frame) => frame.batch === frame.seq || frame.batch > seq + 1)
  if (at === null) return
  const badPath = paths.log(broken.log)
  const what = `the commit at byte ${broken.offset} is damaged, and ${path} has complete commits after it, from byte ${at}.`
  const fix = `Restore the whole folder from one copy; or discard that commit and all later ones: move the log files after it away and run \`truncate -s ${broken.offset} ${badPath}\`.`
  throw corrupt(`${badPath}:${broken.offset}`, what, fix)
}

/** A killed process leaves a beginning of its last write. So a commit that has its full length was damaged later. */
function assertBeginning(bytes: Buffer, at: number, path: string): void {
  if (isBeginning(bytes, at)) return
  const what = `the last commit, at byte ${at}, has its full length and does not match its checksums: it was acknowledged, and is damaged.`
  const fix = `Restore the whole folder from one copy; or discard that commit with \`truncate -s ${at} ${path}\`.`
  throw corrupt(`${path}:${at}`, what, fix)
}
