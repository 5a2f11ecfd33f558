import { isShared, type Files, withFile } from '../../core/files.ts'
import { corrupt, storeFault } from '../io-errors.ts'
import type { LogWriter } from './checkpoint-text.ts'
import { countFrames, findFrame, type Frame, isBeginning, readFrame } from './frame.ts'
import type { CommitPosition, LogPosition } from './log.ts'
import { type DataFolder, numbersIn, type Paths, type ReadableFolder } from './paths.ts'
import { replaceFile } from './replace-file.ts'

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
      assertNoLaterWrite(bytes, 0, seq, broken, path, paths)
      continue
    }
    let at = log === from.log ? from.offset : 0
    // With lost pages, the commits before this file may be missing; then it is set aside.
    const isBehindGap = loss === 'pages' && log !== from.log && (readFrame(bytes, 0)?.seq ?? 0) > seq + 1
    for (let frame = isBehindGap ? null : nextFrame(bytes, at, seq, path); frame;) {
      apply(frame, log)
      ;({ seq, end: at } = frame)
      frame = nextFrame(bytes, at, seq, path)
    }
    if (at === bytes.byteLength) continue
    broken = { log, offset: at }
    if (loss !== 'pages') assertNoLaterWrite(bytes, at, seq, broken, path, paths)
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
  // Before its first commit a store has no log at all.
  if (later.length === 0 && from.offset === 0) return null
  for (const [i, log] of (later.length === 0 ? [Number.NaN] : later).entries()) {
    if (log === from.log + i) continue
    if (loss === 'pages' && (i > 0 || from.offset === 0)) return log
    throw corrupt(paths.log(from.log + i), 'this file of the log is missing.', 'Restore it from a copy.')
  }
  const length = lengths.get(from.log) ?? 0
  if (length >= from.offset) return null
  const what = `it ends at byte ${length}, but its commits up to byte ${from.offset} are in use.`
  throw corrupt(paths.log(from.log), what, 'Restore it from a copy.')
}

/**
 * A complete frame of a later write than the incomplete one shows that the incomplete write had been acknowledged, so it is
 * damaged. A power cut can keep the end of a write and lose its beginning, so frames of the incomplete write itself do not
 * count.
 *
 * @param seq  The seq of the last complete commit before the incomplete frame.
 */
function assertNoLaterWrite(
  bytes: Buffer,
  from: number,
  seq: number,
  bad: LogPosition,
  path: string,
  paths: Paths,
): void {
  const at = findFrame(bytes, from, seq, (frame) => frame.batch === frame.seq || frame.batch > seq + 1)
  if (at === null) return
  const badPath = paths.log(bad.log)
  const what = `the commit at byte ${bad.offset} is damaged, and ${path} has complete commits after it, from byte ${at}.`
  const fix = `Restore the whole folder from one copy; or discard that commit and all later ones: move the log files after it away and run \`truncate -s ${bad.offset} ${badPath}\`.`
  throw corrupt(`${badPath}:${bad.offset}`, what, fix)
}

/** A killed process leaves a beginning of its last write. So a commit that has its full length was damaged later. */
function assertBeginning(bytes: Buffer, at: number, path: string): void {
  if (isBeginning(bytes, at)) return
  const what = `the last commit, at byte ${at}, has its full length and does not match its checksums: it was acknowledged, and is damaged.`
  const fix = `Restore the whole folder from one copy; or discard that commit with \`truncate -s ${at} ${path}\`.`
  throw corrupt(`${path}:${at}`, what, fix)
}

/**
 * Moves everything from the first incomplete commit on into files next to the log. The last file goes first, so that
 * the next start finds the same situation if a crash interrupts this. A log file that has no commits left is removed.
 */
export async function setAside(
  { files, paths, onNotice }: DataFolder & { readonly onNotice: (text: string) => void },
  loss: Loss,
  broken: LogPosition,
  lengths: Map<number, number>,
): Promise<void> {
  for (const [log, length] of [...lengths].reverse()) {
    const offset = log === broken.log ? broken.offset : 0
    if (log < broken.log) break
    const path = paths.log(log)
    try {
      const all = (await files.readAll(path)) ?? Buffer.alloc(0)
      const bytes = all.subarray(offset)
      const copy = await freeName(files, `${path}.cut-${offset}`)
      if (length > offset) await replaceFile(files, copy, [bytes])
      if (offset === 0) {
        await files.remove(path)
        await files.syncFolder(paths.logs)
        lengths.delete(log)
      } else {
        // Another folder may share the file, and its process needs the whole of it.
        if (isShared(files, path)) await replaceFile(files, path, [all.subarray(0, offset)])
        else
          await withFile(files, path, 'r+', async (fd) => {
            await files.truncate(fd, offset)
            await files.sync(fd)
          })
        lengths.set(log, offset)
      }
      const whole = countFrames(bytes)
      const behind = whole === 0 ? '' : `, with ${whole} complete commits behind a gap`
      if (length > offset)
        onNotice(
          `${path} ended in ${bytes.byteLength} bytes that are no complete commit${behind}. They were moved to ${copy}.${loss === 'tail' ? afterRestart : ''}`,
        )
    } catch (error) {
      throw storeFault(error, `Setting the end of ${path} aside`)
    }
  }
}

const afterRestart =
  ' They are the last write before the machine stopped. It was not complete, so it was not acknowledged, unless the disk damaged it later.'

async function freeName(files: Files, wanted: string): Promise<string> {
  let name = wanted
  for (let i = 2; (await files.size(name)) !== null; i++) name = `${wanted}-${i}`
  return name
}
