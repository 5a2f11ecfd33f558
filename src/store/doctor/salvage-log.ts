import { nextTurn } from '../../core/machine.ts'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { logParts } from '../disk/frame.ts'
import { numbersIn } from '../disk/paths.ts'
import { messageOf } from './findings.ts'
import { History } from './salvage-history.ts'
import { readOr, type SalvageReading } from './salvage-read.ts'

/** Reads every complete commit of every log file, and reports the lost commits that only the log had. */
export async function readHistory(reading: SalvageReading, checkpoint: Checkpoint | null): Promise<History> {
  const { files, paths, collections, lost } = reading
  const history = new History(collections)
  const numbers = await numbersIn(files, paths.logs, '.log')
  /** The files of records contain everything before this position. */
  const { log: first, offset } = checkpoint ?? { log: numbers[0] ?? 1, offset: 0 }
  const newest = Math.max(numbers.at(-1) ?? 0, offset > 0 ? first : 0)
  const present = new Set(numbers)
  /** Whether the gap before the next complete commit was already reported. */
  let isTold = false
  for (let log = first; checkpoint && log <= newest; log++)
    if (!present.has(log)) lost.push(`${paths.log(log)} is missing; the commits that only it had are lost.`)
  for (const log of numbers) {
    const path = paths.log(log)
    const lose = (what: string): void => {
      isTold ||= log >= first
      if (log >= first)
        lost.push(
          `${path} ${what}. Commits after number ${Math.max(history.end, checkpoint?.seq ?? 0)} that only it had are lost.`,
        )
    }
    const bytes = await readOr(reading, path, lose)
    if (log === first && bytes.byteLength < offset) lose(`ends at byte ${bytes.byteLength}`)
    for (const { at, end: next, frame } of logParts(bytes, history.end)) {
      if (frame === null) {
        if (log > first || next > offset) lose(`is damaged from byte ${at} to byte ${next}`)
        continue
      }
      const before = Math.max(history.end, checkpoint?.seq ?? frame.seq)
      if (frame.seq > before + 1 && !isTold)
        lost.push(`Commits ${before + 1} to ${frame.seq - 1} are lost: no file of the log has them.`)
      isTold = false
      try {
        history.note(frame, log, paths)
      } catch (error) {
        lost.push(messageOf(error))
      }
    }
    await nextTurn()
  }
  return history
}
