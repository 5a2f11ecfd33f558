import { corrupt, storeFault } from '../io-errors.ts'
import { type Files, isShared, writeWhole } from '../../core/files.ts'
import { type Frame, frameStart, isBeginning, readFrame } from './frame.ts'
import type { LogPosition } from './log.ts'
import { numberOf, type Paths } from './paths.ts'
import { replaceFile } from './snapshot.ts'

export interface ReplayDeps {
  readonly files: Files
  readonly paths: Paths
  /**
   * What may be missing from the end of the log. `prefix`: only the process ended, so the last write may be incomplete.
   * `tail`: after a power cut, with synced commits, any part of the last write may be missing. `pages`: after a power cut,
   * without synced commits, any part of the log may be missing.
   */
  readonly loss: Loss
  /** Takes a frame's ops. May throw store_corrupt. */
  apply(frame: Frame, log: number): void
}

/** See {@link ReplayDeps.loss}. */
export type Loss = 'prefix' | 'tail' | 'pages'

/** The result of reading the log. */
export interface Replayed {
  /** The seq of the last commit. */
  readonly seq: number
  /** The length of every log file. */
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
 * @param from  Where to begin, with the seq of the last commit before it.
 * @throws store_corrupt.
 */
export async function replayLog(
  deps: ReplayDeps,
  from: LogPosition & { readonly seq: number },
): Promise<Replayed> {
  const { files, paths, loss } = deps
  const lengths = await listLogs(files, paths)
  const gap = assertComplete(lengths, from, paths, loss)
  let last = from.seq
  let broken: LogPosition | null = null
  for (const log of lengths.keys()) {
    if (log < from.log) continue
    if (log === gap) broken ??= { log, offset: 0 }
    if (broken && loss === 'pages') break
    const path = paths.log(log)
    const bytes = (await files.readAll(path)) ?? Buffer.alloc(0)
    let at = log === from.log ? from.offset : 0
    if (broken) {
      assertNoFrame(bytes, at, last, broken, log, paths)
      continue
    }
    if (loss === 'pages' && log !== from.log && isBehindGap(bytes, last)) {
      broken = { log, offset: 0 }
      break
    }
    for (let frame = nextFrame(bytes, at, last, path); frame; frame = nextFrame(bytes, at, last, path)) {
      deps.apply(frame, log)
      last = frame.seq
      at = frame.end
    }
    if (at === bytes.byteLength) continue
    broken = { log, offset: at }
    if (loss !== 'pages') assertNoFrame(bytes, at, last, broken, log, paths)
    if (loss === 'prefix') assertBeginning(bytes, at, path)
  }
  return { seq: last, lengths, broken }
}

/**
 * The frame at a byte; null when there is no complete frame.
 *
 * @throws store_corrupt for a complete commit that is not the next one, because it would be dropped.
 */
function nextFrame(bytes: Buffer, at: number, seq: number, path: string): Frame | null {
  const frame = at < bytes.byteLength ? readFrame(bytes, at) : null
  if (!frame || frame.seq === seq + 1) return frame
  const what = `the complete commit ${frame.seq} is at byte ${at}, where commit ${seq + 1} is expected.`
  throw corrupt(`${path}:${at}`, what, 'Restore the whole folder from a copy.')
}

/** Whether this file begins with a later commit than the next one. Then the file before it lost complete commits in a power cut. */
function isBehindGap(bytes: Buffer, seq: number): boolean {
  const frame = bytes.byteLength > 0 ? readFrame(bytes, 0) : null
  return frame !== null && frame.seq > seq + 1
}

async function listLogs(files: Files, paths: Paths): Promise<Map<number, number>> {
  const numbers = (await files.list(paths.logs))
    .map((name) => numberOf(name, '.log'))
    .filter((n) => n !== null)
  const lengths = new Map<number, number>()
  for (const number of numbers.sort((a, b) => a - b)) {
    lengths.set(number, (await files.size(paths.log(number))) ?? 0)
  }
  return lengths
}

/** @returns The first file after a gap in the file numbers, if a power cut may have caused the gap; else null. */
function assertComplete(
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

function assertNoFrame(
  bytes: Buffer,
  from: number,
  seq: number,
  bad: LogPosition,
  log: number,
  paths: Paths,
): void {
  const at = findLater(bytes, from, seq)
  if (at !== null) {
    const path = paths.log(bad.log)
    const what = `the commit at byte ${bad.offset} is damaged, and ${paths.log(log)} has complete commits after it, from byte ${at}.`
    const fix = `Restore the whole folder from one copy; or discard that commit and all later ones: move the log files after it away and run \`truncate -s ${bad.offset} ${path}\`.`
    throw corrupt(`${path}:${bad.offset}`, what, fix)
  }
}

/** A killed process leaves a beginning of its last write. So a commit that has its full length was damaged later. */
function assertBeginning(bytes: Buffer, at: number, path: string): void {
  if (isBeginning(bytes, at)) return
  const what = `the last commit, at byte ${at}, has its full length and does not match its checksums: it was acknowledged, and is damaged.`
  const fix = `Restore the whole folder from one copy; or discard that commit with \`truncate -s ${at} ${path}\`.`
  throw corrupt(`${path}:${at}`, what, fix)
}

/**
 * Finds a complete frame of a later write than the incomplete one. If one exists, the incomplete write had been
 * acknowledged, so it is damaged. A power cut can keep the end of a write and lose its beginning, so frames of the
 * incomplete write itself do not count.
 *
 * @param seq  The seq of the last complete commit before the incomplete frame.
 * @returns The position of that frame in bytes, or null when there is none.
 */
export function findLater(bytes: Buffer, from: number, seq: number): number | null {
  for (let at = bytes.indexOf(frameStart, from); at >= 0; at = bytes.indexOf(frameStart, at + 1)) {
    const frame = readFrame(bytes, at)
    // A message can contain bytes that look like a frame. Real frames of this log continue the sequence numbers.
    if (frame && frame.seq > seq && frame.seq <= seq + bytes.byteLength && isLater(frame, seq)) return at
  }
  return null
}

function isLater(frame: Frame, seq: number): boolean {
  return frame.batch === frame.seq || frame.batch > seq + 1
}

/**
 * Moves everything from the first incomplete commit on into files next to the log. The last file goes first, so that
 * the next start finds the same situation if a crash interrupts this. A log file that has no commits left is removed.
 */
export async function setAside(
  deps: { files: Files; paths: Paths; loss: Loss; onNotice: (text: string) => void },
  broken: LogPosition,
  lengths: Map<number, number>,
): Promise<void> {
  const { files, paths, loss, onNotice } = deps
  for (const [log, length] of [...lengths].reverse()) {
    const offset = log === broken.log ? broken.offset : 0
    if (log < broken.log) break
    const path = paths.log(log)
    try {
      const all = (await files.readAll(path)) ?? Buffer.alloc(0)
      const bytes = all.subarray(offset)
      const copy = await freeName(files, `${path}.cut-${offset}`)
      if (length > offset) await writeCopy(files, copy, bytes)
      if (length > offset) await files.syncFolder(paths.logs)
      if (offset === 0) {
        await files.remove(path)
        await files.syncFolder(paths.logs)
        lengths.delete(log)
      } else {
        // Another folder may share the file, and its process needs the whole of it.
        if (isShared(files, path)) await replaceFile(files, path, [all.subarray(0, offset)])
        else await cutFile(files, path, offset)
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

/** Counts the complete commits, also behind an incomplete one. */
export function countFrames(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(frameStart); at >= 0;) {
    const frame = readFrame(bytes, at)
    if (frame) count++
    at = bytes.indexOf(frameStart, frame ? frame.end : at + 1)
  }
  return count
}

async function writeCopy(files: Files, path: string, bytes: Buffer): Promise<void> {
  const out = await files.open(path, 'wx')
  try {
    await writeWhole(files, out, bytes, 0)
    await files.sync(out)
  } finally {
    await files.close(out)
  }
}

async function cutFile(files: Files, path: string, length: number): Promise<void> {
  const fd = await files.open(path, 'r+')
  try {
    await files.truncate(fd, length)
    await files.sync(fd)
  } finally {
    await files.close(fd)
  }
}

async function freeName(files: Files, wanted: string): Promise<string> {
  let name = wanted
  for (let i = 2; (await files.size(name)) !== null; i++) name = `${wanted}-${i}`
  return name
}
