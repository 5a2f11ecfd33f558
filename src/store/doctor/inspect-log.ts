import type { CheckpointDeps } from '../disk/checkpoint.ts'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { messageOf, type Report } from './findings.ts'
import { salvageHint } from '../io-errors.ts'
import { type Frame, frameStart, isBeginning, readFrame } from '../disk/frame.ts'
import { numberOf } from '../disk/paths.ts'
import type { Records } from '../records.ts'
import { applyFrame, lossOf } from '../disk/load.ts'
import { countFrames, findLater, type Loss } from '../disk/replay.ts'
import { nextTurn } from '../../core/machine.ts'

/** Where the payloads of complete commits are: `[start, end]` of each, by log file, in order. */
export type SoundBytes = Map<number, [start: number, end: number][]>

/** The purpose of reading a file of the log. */
interface Reading {
  readonly parts: CheckpointDeps
  readonly checkpoint: Checkpoint
  readonly records: Records
  readonly report: Report
  readonly loss: Loss
  /** The seq of the last complete commit; null before the first. */
  last: number | null
  commits: number
  /** Whether commits that the files of records contain are damaged. */
  isDamaged: boolean
}

/**
 * Reads every commit of every log file, including those that a start would not read, and applies those after the
 * checkpoint to memory.
 */
export async function inspectLog(
  deps: CheckpointDeps,
  checkpoint: Checkpoint,
  records: Records,
  report: Report,
): Promise<SoundBytes> {
  const { files, paths } = deps
  const names = await files.list(paths.logs)
  const numbers = names.map((name) => numberOf(name, '.log')).filter((number) => number !== null)
  numbers.sort((a, b) => a - b)
  const sound: SoundBytes = new Map()
  const loss = lossOf(checkpoint.writer, deps.boot)
  const reading: Reading = {
    parts: deps,
    checkpoint,
    records,
    report,
    loss,
    last: null,
    commits: 0,
    isDamaged: false,
  }
  const before = report.problems
  let expected = checkpoint.log
  let isBroken = false
  for (const number of numbers) {
    for (; number > expected; expected++)
      report.problem(`${paths.log(expected)} is missing: this file of the log is in use.`, restore)
    if (number >= checkpoint.log) expected = number + 1
    const bytes = await files.readAll(paths.log(number)).catch((error: unknown) => {
      if (number < checkpoint.log) report.note(messageOf(error))
      else report.problem(messageOf(error), 'Until then, Localpost does not start.')
      return null
    })
    // A running instance may have removed it meanwhile.
    if (bytes === null) continue
    const isLast = number === numbers.at(-1)
    const { frames, whole } = readFile(reading, bytes, number, { isLast, isBroken })
    isBroken ||= !whole && number >= checkpoint.log
    sound.set(number, frames)
    await nextTurn()
  }
  if (checkpoint.offset > 0 && expected === checkpoint.log)
    report.problem(`${paths.log(checkpoint.log)} is missing: this file of the log is in use.`, restore)
  const what = `${numbers.length} log files hold ${reading.commits} complete commits`
  if (report.problems === before && !reading.isDamaged) report.ok(`${what}, one after the other.`)
  else report.note(`${what}.`)
  return sound
}

/** @returns The payloads of its complete commits, and whether it contains nothing else. */
function readFile(
  reading: Reading,
  bytes: Buffer,
  number: number,
  { isLast, isBroken }: { isLast: boolean; isBroken: boolean },
): { frames: [number, number][]; whole: boolean } {
  const { checkpoint, report } = reading
  const path = reading.parts.paths.log(number)
  const frames: [number, number][] = []
  const inUse = number < checkpoint.log ? bytes.byteLength : number === checkpoint.log ? checkpoint.offset : 0
  if (number === checkpoint.log && bytes.byteLength < inUse) {
    report.problem(
      `${path} ends at byte ${bytes.byteLength}, but its commits up to byte ${inUse} are in use.`,
      restore,
    )
  }
  let replays = !isBroken
  let at = 0
  let compared = number !== checkpoint.log || inUse === 0
  while (at < bytes.byteLength) {
    const frame = wholeFrame(bytes, at)
    if (frame && follows(reading, frame, at === 0 && number <= checkpoint.log)) {
      frames.push([frame.payloadAt, frame.end])
      if (replays && at >= inUse) apply(reading, frame, number)
      reading.last = frame.seq
      reading.commits++
      at = frame.end
      if (!compared && at >= inUse) {
        compared = true
        comparePosition(reading, at, path)
      }
      continue
    }
    const last = reading.last ?? 0
    if (frame && at === 0 && frame.seq > last + 1 && number > checkpoint.log) {
      const gap = `Commits ${last + 1} to ${frame.seq - 1} are missing before ${path}`
      if (reading.loss === 'pages') {
        report.note(`${gap}: what a power cut can leave. The next start sets the file aside.`)
        return { frames, whole: false }
      }
      report.problem(`${gap}.`, restore)
      replays = false
      reading.last = frame.seq - 1
      continue
    }
    const next = nextWhole(bytes, at + 1, last)
    const isTorn = reading.loss !== 'prefix' || isBeginning(bytes, at)
    const isTail = at >= inUse && isTorn && (next === null || findLater(bytes, at, last) === null)
    const isCut = at >= inUse && reading.loss === 'pages' && (frame === null || isBroken)
    if ((isTail && isLast) || isCut) {
      const rest = bytes.subarray(at)
      const behind = countFrames(rest)
      const why = isCut
        ? `what a power cut can leave, with ${behind} complete commits behind the gap`
        : reading.loss === 'prefix'
          ? 'a commit that was not acknowledged'
          : 'the last write before the machine stopped, which was not complete'
      report.note(
        `${path} ends in ${rest.byteLength} bytes from byte ${at} that are no complete commit: ${why}. The next start sets them aside.`,
      )
      return { frames, whole: false }
    }
    const until = next === null ? 'to its end' : `to byte ${next}, where complete commits follow`
    const what = `${path} is damaged from byte ${at} ${until}.`
    // The changes of these commits are in the files of records. Only the bytes of messages are nowhere else.
    reading.isDamaged = true
    if (at < inUse) report.note(`${what} If mails lost bytes by it, they are named below.`)
    else {
      const discard = `discard this commit and all later ones: move the log files after it away and run \`truncate -s ${at} ${path}\``
      report.problem(what, `Restore the whole folder from one copy; or ${discard}. ${salvageHint}`)
    }
    if (at >= inUse) replays = false
    if (next === null) return { frames, whole: false }
    reading.last = (wholeFrame(bytes, next)?.seq ?? last + 1) - 1
    at = next
  }
  return { frames, whole: replays }
}

const restore = `Restore it from a copy. ${salvageHint}`

/** The commit of the checkpoint must end at its position. */
function comparePosition({ checkpoint, last, report }: Reading, at: number, path: string): void {
  if (at === checkpoint.offset && last === checkpoint.seq) return
  report.problem(
    `checkpoint.json says that commit ${checkpoint.seq} ends at byte ${checkpoint.offset} of ${path}; in the log commit ${last} ends at byte ${at}.`,
    'Restore the whole folder from a copy.',
  )
}

/** Between files that are no longer there, commits may be missing; inside the log, none may. */
function follows({ last }: Reading, frame: Frame, mayFollowGap: boolean): boolean {
  return last === null || frame.seq === last + 1 || (mayFollowGap && frame.seq > last)
}

function apply({ parts, records, report }: Reading, frame: Frame, number: number): void {
  try {
    applyFrame(parts, records, frame, number)
  } catch (error) {
    report.problem(messageOf(error), 'Use the version of Localpost that wrote it.')
  }
}

function nextWhole(bytes: Buffer, from: number, seq: number): number | null {
  for (let at = bytes.indexOf(frameStart, from); at >= 0; at = bytes.indexOf(frameStart, at + 1)) {
    const frame = wholeFrame(bytes, at)
    if (frame && frame.seq > seq && frame.seq <= seq + bytes.byteLength) return at
  }
  return null
}

function wholeFrame(bytes: Buffer, at: number): Frame | null {
  try {
    return readFrame(bytes, at)
  } catch {
    return null
  }
}
