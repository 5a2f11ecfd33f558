import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { readCheckpoint } from '../disk/checkpoint.ts'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { createFindings, type Finding, listed, type Report } from './findings.ts'
import type { Files } from '../../core/files.ts'
import { salvageHint } from '../io-errors.ts'
import { dataIn, foreignFilesIn } from '../disk/folder.ts'
import { formatVersion } from '../disk/format.ts'
import { readMark } from '../disk/marker.ts'
import { inspectBlobs } from './inspect-blobs.ts'
import { inspectIndexes } from './inspect-indexes.ts'
import { inspectLog } from './inspect-log.ts'
import { inspectKeys, inspectLeftovers, inspectSnapshot } from './inspect-snapshot.ts'
import { isClosed, readLock } from '../lock/lock.ts'
import type { LockReads } from '../lock/lock-file.ts'
import { namingFiles } from '../disk/naming-files.ts'
import { createPaths, type Paths, type ReadableFolder } from '../disk/paths.ts'
import { type Processes, systemProcesses } from '../lock/processes.ts'
import { Records } from '../records.ts'
import type { Collection, StoredRecord } from '../store.ts'
import { describeUnfinished } from '../unfinished.ts'
import { sleep } from '../../core/machine.ts'
import { nodeFiles } from '../../core/node-files.ts'

export type { Finding } from './findings.ts'

export interface Inspection {
  readonly folder: string
  /** Whether nothing is lost and the next start accepts the folder. */
  readonly healthy: boolean
  /** In the order of the checks. */
  readonly findings: readonly Finding[]
}

export interface InspectOptions {
  readonly dir: string
  readonly collections: readonly Collection<StoredRecord>[]
  /** Default: the machine's. */
  readonly files?: Pick<Files, 'readAll' | 'size' | 'list' | 'touched' | 'stampNow'>
  readonly processes?: Processes
  /** The id of the current boot. Default: that of the system; see `LogStoreOptions.boot`. */
  readonly boot?: string
  /** The free space of the disk in bytes. Default: that of the system. */
  readonly freeBytes?: (folder: string) => Promise<number>
}

/**
 * Checks a data folder without changing or locking it. One in use is checked up to three times: what is being written
 * may look incomplete.
 */
export async function inspectFolder(options: InspectOptions): Promise<Inspection> {
  for (let tries = 1; ; tries++) {
    const { inspection, inUse } = await inspectOnce(options)
    if (inspection.healthy || !inUse || tries === maxTries) return inspection
    await sleep(settleMs)
  }
}

const maxTries = 3
const settleMs = 300

async function inspectOnce(options: InspectOptions): Promise<{ inspection: Inspection; inUse: boolean }> {
  const { files: all = nodeFiles, processes = systemProcesses, freeBytes = nodeFiles.freeBytes } = options
  const files = namingFiles(all)
  const paths = createPaths(resolve(options.dir))
  const findings = createFindings()
  let inUse = false
  if (await inspectPlace({ files, paths }, findings.about('folder'))) {
    inUse = await inspectLock(files, paths, processes, findings.about('lock'))
    await inspectData(options, { files, paths }, all.stampNow, findings)
    await inspectLeftovers({ files, paths }, findings.about('leftovers'))
    const free = await freeBytes(paths.folder)
    const space = `The disk has ${Math.floor(free / MiB)} MiB left`
    const disk = findings.about('disk')
    if (free >= enoughBytes) disk.ok(`${space}.`)
    else disk.problem(`${space}; new mail will soon be refused.`, 'Free some space, or use another folder.')
  }
  const healthy = findings.all.every(({ level }) => level !== 'problem')
  return { inspection: { folder: paths.folder, healthy, findings: findings.all }, inUse }
}

const MiB = 1024 * 1024
/** Two log files: less may not be enough for the mail that arrives until a checkpoint and its clean-up are done. */
const enoughBytes = 64 * MiB

/** @returns Whether there is anything to check. */
async function inspectPlace({ files, paths: { folder } }: ReadableFolder, report: Report): Promise<boolean> {
  if ((await files.size(folder)) === null)
    report.problem(`There is no folder ${folder}.`, 'Check the path; a start with it makes it.')
  else if (!(await stat(folder)).isDirectory())
    report.problem(`${folder} is a file, not a folder.`, 'Check the path.')
  else if ((await files.list(folder)).length === 0) report.ok(`${folder} is empty: nothing is stored yet.`)
  else return true
  return false
}

/** @returns Whether a process uses the folder. */
async function inspectLock(
  files: LockReads & ReadableFolder['files'],
  { lock: path, folder }: Paths,
  processes: Processes,
  report: Report,
): Promise<boolean> {
  try {
    const lock = await readLock(files, path, processes)
    if (lock?.lives) {
      report.note(
        `Process ${lock.pid} on ${lock.host} uses the folder. What it is about to write may look incomplete here.`,
      )
      return true
    }
    if (lock) {
      let who = 'It names no process'
      if (lock.pid !== null)
        who = lock.copied
          ? `It came with a copy of the folder: process ${lock.pid} wrote it in another one`
          : `Process ${lock.pid} has ended`
      report.note(`${path} is left over. ${who}; the next start takes the folder over.`)
    } else if (await isClosed(files, path, folder)) report.ok('No process uses the folder.')
    else
      report.note(
        `${path} is missing, and the folder was not closed. Whether a process uses it cannot be known.`,
      )
  } catch (error) {
    report.problem(messageOf(error), 'Until then, Localpost does not start.')
  }
  return false
}

async function inspectData(
  { collections, boot }: InspectOptions,
  folder: ReadableFolder,
  stampNow: Files['stampNow'],
  { all, about }: ReturnType<typeof createFindings>,
): Promise<void> {
  const mark = await readMark(folder)
  if (mark) {
    const { message, fix } = describeUnfinished(`The data folder ${folder.paths.folder}`, mark)
    about('folder').problem(message, fix)
  }
  const checkpoint = await inspectCheckpoint(folder, about('checkpoint'))
  if (!checkpoint) return
  const records = new Records(collections, { hold() {}, release() {} })
  await inspectSnapshot(folder, checkpoint, records, about('snapshot'))
  const present = boot ?? (await systemProcesses.pidSpace()).boot
  await inspectLog(folder, checkpoint, present, records, about('log'))
  inspectKeys(folder, records, about('snapshot'))
  await inspectIndexes(folder, stampNow, records, about('index'))
  await inspectBlobs(folder, records, about('blobs'))
  const counts = [...records.collections.all()].map(({ name, byId }) => `${byId.size} ${name}`)
  if (all.every(({ level, subject }) => level !== 'problem' || !countedFrom.has(subject)))
    about('snapshot').ok(`The folder holds ${counts.join(', ')}.`)
  else about('snapshot').note('The records were not counted, because not all of them can be read.')
}

const countedFrom: ReadonlySet<Finding['subject']> = new Set(['snapshot', 'log'])

async function inspectCheckpoint(folder: ReadableFolder, report: Report): Promise<Checkpoint | null> {
  const { paths } = folder
  try {
    const checkpoint = await readCheckpoint(folder)
    if (checkpoint) {
      const { log, offset, seq } = checkpoint
      report.ok(
        `The files of records hold every commit up to ${seq} (log ${log}, byte ${offset}; format ${formatVersion}).`,
      )
      return checkpoint
    }
    const strangers = await foreignFilesIn(folder)
    if ((await dataIn(folder)).length > 0)
      report.problem(
        `${paths.checkpoint} is missing, which says what the other files belong to.`,
        `Restore it from a copy. ${salvageHint}`,
      )
    else if (strangers.length > 0)
      report.problem(
        `${paths.folder} holds ${listed(strangers)}, and no data of Localpost. A start refuses it.`,
        'Check the path; use an empty or a new folder for the data.',
      )
    else report.note(`${paths.folder} holds no data of Localpost yet.`)
  } catch (error) {
    report.problem(messageOf(error), 'Nothing else was checked.')
  }
  return null
}
