import { messageOf } from '../../core/errors.ts'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { applyFrame } from '../disk/entries.ts'
import { countFrames, type LogPart, logParts } from '../disk/frame.ts'
import { numbersIn, type ReadableFolder } from '../disk/paths.ts'
import { type Loss, lossOf, type Replayed, replayLog } from '../disk/replay.ts'
import type { Records } from '../records.ts'
import { nextTurn } from '../../core/machine.ts'
import type { Report } from './findings.ts'

/** Reads every commit of every log file, and applies those after the checkpoint: the changes of earlier ones are in the files of records. */
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
  let last = 0
  for (const log of logs) {
    if (log > checkpoint.log) break
    const path = paths.log(log)
    const bytes = await files.readAll(path).catch((error: unknown) => {
      if (log < checkpoint.log) report.note(messageOf(error))
      return null
    })
    // A running instance may have removed it meanwhile.
    if (bytes === null) continue
    const used = log < checkpoint.log ? bytes.byteLength : checkpoint.offset
    let part: LogPart | null = null
    for (const next of logParts(bytes, last)) {
      if (next.at >= used) break
      part = next
      if (next.frame) {
        found.commits++
        last = next.frame.seq
        continue
      }
      found.isDamaged = true
      const until = next.end >= used ? 'to its end' : `to byte ${next.end}, where complete commits follow`
      report.note(
        `${path} is damaged from byte ${next.at} ${until}. If mails lost bytes, they are listed below.`,
      )
    }
    // A start reports a file that ends too early.
    const endsElsewhere = part?.frame && (part.end > used || (part.end === used && last !== checkpoint.seq))
    if (log === checkpoint.log && endsElsewhere)
      report.problem(
        `checkpoint.json says that commit ${checkpoint.seq} ends at byte ${used} of ${path}; in the log commit ${last} ends at byte ${part?.end}.`,
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
