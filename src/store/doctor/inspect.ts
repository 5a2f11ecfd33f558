import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type CheckpointDeps, readCheckpoint } from '../disk/checkpoint.ts'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { createFindings, type Finding, listed, messageOf } from './findings.ts'
import { type Files, nodeFiles } from '../../core/files.ts'
import { salvageHint } from '../io-errors.ts'
import { dataIn, strangersIn } from '../disk/folder.ts'
import { formatVersion } from '../disk/format.ts'
import { readMark } from '../disk/marker.ts'
import { inspectBlobs } from './inspect-blobs.ts'
import { inspectIndexes } from './inspect-indexes.ts'
import { inspectLog } from './inspect-log.ts'
import { inspectKeys, inspectLeftovers, inspectSnapshot } from './inspect-snapshot.ts'
import { isClosed, readLock } from '../lock/lock.ts'
import { namingFiles } from '../disk/naming-files.ts'
import { createPaths } from '../disk/paths.ts'
import { type Processes, systemProcesses } from '../lock/processes.ts'
import { Records } from '../records.ts'
import type { Collection, StoredRecord } from '../store.ts'
import { unfinishedWords } from '../unfinished.ts'
import { sleep } from '../../core/machine.ts'

export type { Finding } from './findings.ts'

/** The result of inspecting a data folder. */
export interface Inspection {
  readonly folder: string
  /** Whether nothing is lost and the next start accepts the folder. */
  readonly healthy: boolean
  /** In the order of the checks. */
  readonly findings: readonly Finding[]
}

/** Options of `inspectFolder`. */
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
 * Checks a whole data folder without changing or locking it, even while an instance uses it. Data that the instance is
 * writing may look incomplete, so a folder in use is checked up to three times.
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
  const { files = nodeFiles, processes = systemProcesses, collections } = options
  const named = namingFiles(files)
  const parts = readOnlyParts(
    resolve(options.dir),
    named,
    options.boot ?? (await systemProcesses.pidSpace()).boot,
  )
  const { paths } = parts
  const { all, about } = createFindings()
  const done = (inUse: boolean): { inspection: Inspection; inUse: boolean } => {
    const healthy = all.every(({ level }) => level !== 'problem')
    return { inspection: { folder: paths.folder, healthy, findings: all }, inUse }
  }
  if ((await files.size(paths.folder)) === null) {
    about('folder').problem(
      `There is no folder ${paths.folder}.`,
      'Check the path; a start with it makes it.',
    )
    return done(false)
  }
  if (!(await stat(paths.folder)).isDirectory()) {
    about('folder').problem(`${paths.folder} is a file, not a folder.`, 'Check the path.')
    return done(false)
  }
  if ((await files.list(paths.folder)).length === 0) {
    about('folder').ok(`${paths.folder} is empty: nothing is stored yet.`)
    return done(false)
  }
  const lock = await readLock(named, paths.lock, processes).catch((error: unknown) => {
    about('lock').problem(messageOf(error), 'Until then, Localpost does not start.')
    return null
  })
  const inUse = lock?.lives === true
  if (inUse) {
    about('lock').note(
      `Process ${lock.pid} on ${lock.host} uses the folder. What it is about to write may look incomplete here.`,
    )
  } else if (lock) {
    const who =
      lock.pid === null
        ? 'It names no process'
        : lock.copied
          ? `It came with a copy of the folder: process ${lock.pid} wrote it in another one`
          : `Process ${lock.pid} has ended`
    about('lock').note(`${paths.lock} is left over. ${who}; the next start takes the folder over.`)
  } else if (all.length === 0) {
    if (await isClosed({ files: named, path: paths.lock, folder: paths.folder }))
      about('lock').ok('No process uses the folder.')
    else
      about('lock').note(
        `${paths.lock} is missing, and the folder was not closed. Whether a process uses it cannot be known.`,
      )
  }
  const mark = await readMark(named, paths)
  if (mark) {
    const { message, fix } = unfinishedWords(`The data folder ${paths.folder}`, mark)
    about('folder').problem(message, fix)
  }
  const checkpoint = await inspectCheckpoint(parts, about('checkpoint'))
  if (checkpoint) {
    const records = new Records(collections, { hold() {}, release() {} })
    await inspectSnapshot(parts, checkpoint, records, about('snapshot'))
    const sound = await inspectLog(parts, checkpoint, records, about('log'))
    inspectKeys(parts, records, about('snapshot'))
    await inspectIndexes(parts, files.stampNow, records, about('index'))
    await inspectBlobs(parts, records, sound, about('blobs'))
    const counts = [...records.collections.values()].map(({ name, byId }) => `${byId.size} ${name}`)
    if (all.every(({ level, subject }) => level !== 'problem' || !countedFrom.has(subject)))
      about('snapshot').ok(`The folder holds ${counts.join(', ')}.`)
    else about('snapshot').note('The records were not counted, because not all of them can be read.')
  }
  await inspectLeftovers(parts, about('leftovers'))
  const free = await (options.freeBytes ?? nodeFiles.freeBytes)(paths.folder)
  const space = `The disk has ${Math.floor(free / MiB)} MiB left`
  if (free >= enoughBytes) about('disk').ok(`${space}.`)
  else
    about('disk').problem(
      `${space}; new mail will soon be refused.`,
      'Free some space, or use another folder.',
    )
  return done(inUse)
}

/** The sources of the records. */
const countedFrom: ReadonlySet<Finding['subject']> = new Set(['snapshot', 'log'])

const MiB = 1024 * 1024
/** Two log files: less may not be enough for the mail that arrives until a checkpoint and its clean-up are done. */
const enoughBytes = 64 * MiB

async function inspectCheckpoint(
  deps: CheckpointDeps,
  report: ReturnType<ReturnType<typeof createFindings>['about']>,
): Promise<Checkpoint | null> {
  const { paths } = deps
  try {
    const checkpoint = await readCheckpoint(deps)
    if (checkpoint) {
      const { log, offset, seq } = checkpoint
      report.ok(
        `The files of records hold every commit up to ${seq} (log ${log}, byte ${offset}; form ${formatVersion}).`,
      )
      return checkpoint
    }
    const strangers = await strangersIn(deps)
    if ((await dataIn(deps)).length > 0) {
      report.problem(
        `${paths.checkpoint} is missing, which says what the other files belong to.`,
        `Restore it from a copy. ${salvageHint}`,
      )
    } else if (strangers.length > 0) {
      report.problem(
        `${paths.folder} holds ${listed(strangers)}, and no data of Localpost. A start refuses it.`,
        'Check the path; use an empty or a new folder for the data.',
      )
    } else {
      report.note(`${paths.folder} holds no data of Localpost yet.`)
    }
  } catch (error) {
    report.problem(messageOf(error), 'Nothing else was checked.')
  }
  return null
}

/** The environment of the store's own readers, without any writes. */
function readOnlyParts(
  folder: string,
  files: Pick<Files, 'readAll' | 'size' | 'list'>,
  boot: string,
): CheckpointDeps {
  return {
    files: { ...refusing, readAll: files.readAll, size: files.size, list: files.list },
    paths: createPaths(folder),
    durable: false,
    boot,
    onNotice() {},
  }
}

const refuse = (): never => {
  throw new Error('An inspection only reads.')
}

const refusing: Files = {
  open: refuse,
  openNow: refuse,
  close: refuse,
  closeNow: refuse,
  write: refuse,
  read: refuse,
  stream: refuse,
  sync: refuse,
  truncate: refuse,
  size: refuse,
  readAll: refuse,
  list: refuse,
  rename: refuse,
  remove: refuse,
  makeFolder: refuse,
  removeFolder: refuse,
  syncFolder: refuse,
  link: refuse,
  touch: refuse,
  touched: refuse,
  stampNow: refuse,
  freeBytes: refuse,
}
