import { messageOf } from '../../core/errors.ts'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { applyFrame } from '../disk/entries.ts'
import { countFrames, type LogPart, logParts } from '../disk/frame.ts'
import { numbersIn, type ReadableFolder } from '../disk/paths.ts'
import { type Loss, lossOf, type Replayed, replayLog } from '../disk/replay.ts'
import type { Records } from '../records.ts'
import { nextTurn } from '../../core/machine.ts'
import type { Report } from './findings.ts'

/**
 * Reads every commit of every log file, and applies those after the checkpoint: the changes of earlier ones are in the files
 * of records.
 *
 * @param boot  The id of the machine's running start; `""` if unknown.
 * @param records  The records of the checkpoint, to which the later commits are applied.
 */
export async function inspectLog(
  folder: ReadableFolder,
  checkpoint: Checkpoint,
  boot: string,
  records: Records,
  report: Report,
): Promise<void> {
  const { files, paths } = folder
  const logs = await numbersIn(files, paths.logs, '.log')
  const before = report.problems
  const used = await inspectUsed(folder, logs, checkpoint, report)
  let { commits } = used
  const loss = lossOf(checkpoint.writer, boot)
  try {
    const replayed = await replayLog(folder, checkpoint, loss, (frame, log) => {
      applyFrame(paths, records, frame, log)
      commits++
    })
    await reportBroken(folder, replayed, loss, report)
  } catch (error) {
    // The message of a damage ends with what to do first.
    report.problem(messageOf(error), 'Until then, Localpost does not start.')
  }
  const what = `${logs.length} log files hold ${commits} complete commits`
  if (report.problems === before && !used.isDamaged) report.ok(`${what}, one after the other.`)
  else report.note(`${what}.`)
}

/** Reads the log up to the checkpoint. A start does not: damage of it matters only to the messages in it. */
async function inspectUsed(
  { files, paths }: ReadableFolder,
  logs: readonly number[],
  checkpoint: Checkpoint,
  report: Report,
): Promise<{ commits: number; isDamaged: boolean }> {
  const found = { commits: 0, isDamaged: false }
  /** The last commit of all files so far. */
  let lastSeq = 0
  for (const log of logs) {
    if (log > checkpoint.log) break
    const path = paths.log(log)
    const bytes = await files.readAll(path).catch((error: unknown) => {
      // `replayLog` reads the log of the checkpoint again, and reports that.
      if (log < checkpoint.log) report.note(messageOf(error))
      return null
    })
    // A running instance may have removed it meanwhile.
    if (bytes === null) continue
    const used = log < checkpoint.log ? bytes.byteLength : checkpoint.offset
    let lastPart: LogPart | null = null
    for (const part of logParts(bytes, lastSeq)) {
      if (part.at >= used) break
      lastPart = part
      if (part.frame) {
        found.commits++
        lastSeq = part.frame.seq
        continue
      }
      found.isDamaged = true
      const until = part.end >= used ? 'to its end' : `to byte ${part.end}, where complete commits follow`
      report.note(
        `${path} is damaged from byte ${part.at} ${until}. If mails lost bytes, they are listed below.`,
      )
    }
    // A start reports a file that ends too early.
    const endsElsewhere =
      lastPart?.frame && (lastPart.end > used || (lastPart.end === used && lastSeq !== checkpoint.seq))
    if (log === checkpoint.log && endsElsewhere)
      report.problem(
        `checkpoint.json says that commit ${checkpoint.seq} ends at byte ${used} of ${path}; in the log commit ${lastSeq} ends at byte ${lastPart?.end}.`,
        'Restore the whole folder from a copy.',
      )
    await nextTurn()
  }
  return found
}

/** Reports the end of the log that the next start sets aside. */
async function reportBroken(
  { files, paths }: ReadableFolder,
  { broken, lengths }: Replayed,
  loss: Loss,
  report: Report,
): Promise<void> {
  if (!broken) return
  for (const [log, length] of lengths) {
    if (log < broken.log) continue
    const from = log === broken.log ? broken.offset : 0
    if (length <= from) continue
    const path = paths.log(log)
    const rest = ((await files.readAll(path)) ?? Buffer.alloc(0)).subarray(from)
    const why = {
      pages: `what a power cut can leave, with ${countFrames(rest)} complete commits behind the gap`,
      tail: 'the last write before the machine stopped, which was not complete',
      prefix: 'a commit that was not acknowledged',
    }[loss]
    report.note(
      `${path} ends in ${rest.byteLength} bytes from byte ${from} that are no complete commit: ${why}. The next start sets them aside.`,
    )
  }
}
