import { readdirSync, statSync } from 'node:fs'
import { systemClock } from '../core/clock.ts'
import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { monotonicNow } from '../core/machine.ts'
import { runAll } from '../core/run-all.ts'
import { allCollections, collections } from '../instance/collections.ts'
import { compareParts } from '../store/copy/compare.ts'
import { copyStore } from '../store/copy/copy.ts'
import { fillLogStore, type LogStoreOptions, openLogStore } from '../store/disk/open.ts'
import { inUse, isStoreUrl, shownAddress } from '../store/postgres/address.ts'
import { fillPostgresStore, openPostgresStore, type PostgresStoreOptions } from '../store/postgres/open.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'
import type { Filling, Mark } from '../store/unfinished.ts'
import type { Arguments } from './arguments.ts'
import { onInterrupt } from './stop.ts'
import type { Output } from './output.ts'

/**
 * Runs `localpost copy`: copies everything that is stored from a folder or database into another one, and compares the two.
 *
 * @returns The exit code: 0 if both hold the same afterwards, 1 if they differ or the copy was interrupted.
 * @throws invalid_option for a wrong command line or a destination that is not empty; errors of the stores.
 */
export async function runCopy(given: Arguments, output: Output): Promise<0 | 1> {
  const { from: source, to: target } = given.flags
  if (source === undefined || target === undefined || given.words.length > 0)
    throw invalidOption(
      'copy takes --from and --to, each a data folder or a URL such as postgres://user@host/database.',
    )
  if (!isStoreUrl(source) && !hasFiles(source))
    throw invalidOption(`There is no data folder ${quote(source)} to copy from.`)
  if (source === target) throw invalidOption(`--from and --to are the same: ${quote(shownName(source))}.`)
  const interruption = new AbortController()
  const forgetInterrupt = onInterrupt(() => interruption.abort())
  const opened: PartitionedStore[] = []
  try {
    const from = await openSource(source, output)
    opened.push(from)
    const to = await openTarget(target, { by: 'copy', from: shownName(source) }, output)
    opened.push(to.store)
    const names = { source: shownName(source), target: shownName(target) }
    return await copy(from, to, { names, signal: interruption.signal, output })
  } finally {
    forgetInterrupt()
    await runAll(opened.toReversed().map((store) => () => store.close()))
  }
}

async function copy(
  from: PartitionedStore,
  to: Filling,
  {
    names,
    signal,
    output,
  }: { names: Record<'source' | 'target', string>; signal: AbortSignal; output: Output },
): Promise<0 | 1> {
  // The other collections of shared instances exist only in databases: logs, and counts of faults.
  const all = from.isShared && to.store.isShared ? allCollections : collections
  const onProgress = progressTo(output, 'Copied')
  const parts = await copyStore({ from, to, collections: all, signal, onProgress })
  const onCompared = progressTo(output, 'Compared')
  const compared = signal.aborted ? null : await compareParts(parts, { signal, onProgress: onCompared })
  if (!compared || signal.aborted) {
    output.warn('Interrupted. Run the same command again to resume.')
    return 1
  }
  const { records, blobs, bytes, checksum, differences } = compared
  for (const text of differences) output.error(`differs: ${text}`)
  if (differences.length > 0) {
    output.error(`${names.target} is no whole copy of ${names.source}: remove it and copy again.`)
    return 1
  }
  await to.finish()
  output.log(
    `Copied ${names.source} to ${names.target}: ${records} records and ${blobs} files of messages with ${bytes} bytes.\nBoth have the checksum ${checksum}.`,
  )
  return 0
}

/** Prints the progress every few seconds. */
function progressTo(output: Output, what: string): (done: number, all: number) => void {
  let printedAt = monotonicNow()
  return (done, all) => {
    if (monotonicNow() - printedAt < progressMs) return
    printedAt = monotonicNow()
    output.log(`${what} ${done} of ${all} records.`)
  }
}

const progressMs = 3000

const hasFiles = (dir: string): boolean =>
  statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true && readdirSync(dir).length > 0

/** A place as it may be printed: without the password of a URL. */
const shownName = (place: string): string => (isStoreUrl(place) ? shownAddress(place) : place)

async function openSource(place: string, output: Output): Promise<PartitionedStore> {
  if (!isStoreUrl(place)) return await openLogStore(folderOptions(place, output))
  const store = await openPostgresStore(databaseOptions(place, output))
  await assertAlone(place, store)
  return store
}

async function openTarget(place: string, mark: Mark, output: Output): Promise<Filling> {
  if (!isStoreUrl(place)) return await fillLogStore(folderOptions(place, output), mark)
  const filling = await fillPostgresStore(databaseOptions(place, output), mark)
  await assertAlone(place, filling.store)
  return filling
}

const folderOptions = (dir: string, output: Output): LogStoreOptions & { readonly durability: 'disk' } => ({
  dir,
  collections,
  clock: systemClock,
  durability: 'disk',
  onNotice: (text) => output.warn(text),
})

const databaseOptions = (url: string, output: Output): PostgresStoreOptions => ({
  url,
  collections: allCollections,
  onNotice: (text) => output.warn(text),
})

/** @throws store_in_use if another instance is the leader. Then the store is closed here: `runCopy` does not have it yet. */
async function assertAlone(place: string, store: PartitionedStore): Promise<void> {
  if (store.leadership.isMine()) return
  await store.close()
  throw inUse(shownName(place))
}
