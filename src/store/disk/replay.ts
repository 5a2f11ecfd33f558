import { corrupt, storeFault } from '../io-errors.ts'
import { type Files, writeWhole } from '../../core/files.ts'
import { type Frame, frameStart, readFrame } from './frame.ts'
import type { LogPosition } from './log.ts'
import { numberOf, type Paths } from './paths.ts'

export interface ReplayParts {
  readonly files: Files
  readonly paths: Paths
  readonly onNotice: (text: string) => void
  /** Takes a frame's ops. May throw store_corrupt. */
  apply(frame: Frame, log: number): void
}

/**
 * Reads the log from a position on.
 *
 * An end that is no whole frame, with none after it but those of the same synced write, is what a crash leaves of
 * commits that nobody was told of: it is set aside in a file of its own and cut off. Anything else that cannot be read
 * stops the start.
 *
 * @param seq  Of the last commit before the position.
 * @returns The seq of the last commit, and the length of every log file.
 * @throws store_corrupt; then nothing was changed.
 */
export async function replayLog(
  parts: ReplayParts,
  from: LogPosition,
  seq: number,
): Promise<{ seq: number; lengths: Map<number, number> }> {
  const { files, paths } = parts
  const lengths = await listLogs(files, paths)
  assertComplete(lengths, from, paths)
  let last = seq
  let bad: LogPosition | null = null
  for (const log of lengths.keys()) {
    if (log < from.log) continue
    const bytes = (await files.readAll(paths.log(log))) ?? Buffer.alloc(0)
    let at = log === from.log ? from.offset : 0
    if (bad) {
      assertNoFrame(bytes, at, last, bad, log, paths)
      continue
    }
    for (let frame = nextFrame(bytes, at, last); frame; frame = nextFrame(bytes, at, last)) {
      parts.apply(frame, log)
      last = frame.seq
      at = frame.end
    }
    if (at === bytes.byteLength) continue
    bad = { log, offset: at }
    assertNoFrame(bytes, at, last, bad, log, paths)
  }
  if (bad) await setAside(parts, bad, lengths)
  return { seq: last, lengths }
}

/** A frame counts only when it is the next one: bytes of an older life of the file are no frames. */
function nextFrame(bytes: Buffer, at: number, seq: number): Frame | null {
  const frame = at < bytes.byteLength ? readFrame(bytes, at) : null
  return frame?.seq === seq + 1 ? frame : null
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

function assertComplete(lengths: ReadonlyMap<number, number>, from: LogPosition, paths: Paths): void {
  const later = [...lengths.keys()].filter((log) => log >= from.log)
  // Before its first commit a store has no log at all.
  if (later.length === 0 && from.offset === 0) return
  for (const [i, log] of (later.length === 0 ? [Number.NaN] : later).entries()) {
    if (log === from.log + i) continue
    throw corrupt(paths.log(from.log + i), 'this file of the log is missing.', 'Restore it from a copy.')
  }
  const length = lengths.get(from.log) ?? 0
  if (length >= from.offset) return
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
    const what = `the commit at byte ${bad.offset} is damaged, and ${paths.log(log)} has whole commits after it, from byte ${at}.`
    const mend = `Restore the file from a copy; or give up that commit and all later ones: move the log files after it away and run \`truncate -s ${bad.offset} ${path}\`.`
    throw corrupt(`${path}:${bad.offset}`, what, mend)
  }
}

/**
 * Where a whole frame stands that a later write made than the one that broke off: what broke off was acknowledged.
 * A power loss can keep the end of a write and lose its beginning, so frames of that same write prove nothing.
 *
 * @param seq  Of the last commit before the place where the log broke off.
 * @returns The byte, or null where there is none.
 */
export function findLater(bytes: Buffer, from: number, seq: number): number | null {
  for (let at = bytes.indexOf(frameStart, from); at >= 0; at = bytes.indexOf(frameStart, at + 1)) {
    const frame = readFrame(bytes, at)
    // A message can hold bytes that look like a frame; those of this log go on where it broke off.
    if (frame && frame.seq > seq && frame.seq <= seq + bytes.byteLength && isLater(frame, seq)) return at
  }
  return null
}

function isLater(frame: Frame, seq: number): boolean {
  return frame.batch === frame.seq || frame.batch > seq + 1
}

async function setAside(parts: ReplayParts, bad: LogPosition, lengths: Map<number, number>): Promise<void> {
  const { files, paths, onNotice } = parts
  for (const [log, length] of lengths) {
    const offset = log === bad.log ? bad.offset : 0
    if (log < bad.log || length === offset) continue
    const path = paths.log(log)
    try {
      const bytes = ((await files.readAll(path)) ?? Buffer.alloc(0)).subarray(offset)
      const copy = await freeName(files, `${path}.cut-${offset}`)
      const out = await files.open(copy, 'wx')
      try {
        await writeWhole(files, out, bytes, 0)
        await files.sync(out)
      } finally {
        await files.close(out)
      }
      const fd = await files.open(path, 'r+')
      try {
        await files.truncate(fd, offset)
        await files.sync(fd)
      } finally {
        await files.close(fd)
      }
      lengths.set(log, offset)
      onNotice(
        `${path} ended in ${bytes.byteLength} bytes that are no whole commit. They were moved to ${copy}.`,
      )
    } catch (error) {
      throw storeFault(error, `Setting the end of ${path} aside`)
    }
  }
}

async function freeName(files: Files, wanted: string): Promise<string> {
  let name = wanted
  for (let i = 2; (await files.size(name)) !== null; i++) name = `${wanted}-${i}`
  return name
}
