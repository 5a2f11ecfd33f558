import { asBulk, type CommitChange, type StoredCommit } from '../change-feed.ts'
import { setFlag } from './set-flag.ts'
import { Staging } from './staging.ts'
import type { Waiting } from './waiting.ts'
import type { Transaction } from './transaction.ts'

/** Checks the commits of a batch in order. @param refused  Gets the errors of those that are refused. */
export async function stageAll(
  connection: Transaction,
  staging: Staging,
  batch: readonly Waiting[],
  refused: Map<Waiting, unknown>,
  seq: number,
): Promise<StoredCommit[]> {
  const commits: StoredCommit[] = []
  for (const item of batch) {
    const { partition } = item
    try {
      const changes = await stageChanges(connection, staging, item)
      if (changes.length > 0) commits.push({ seq: seq + commits.length + 1, partition, changes })
    } catch (error) {
      refused.set(item, error)
    }
  }
  return commits
}

/** The changes of a commit, for listeners. @throws unique_conflict, version_conflict. */
async function stageChanges(
  connection: Transaction,
  staging: Staging,
  item: Waiting,
): Promise<readonly CommitChange[]> {
  const { partition } = item
  if ('said' in item) return [item.said]
  if ('setting' in item) {
    const setting = setFlag(connection, partition, item.setting, item.outcome)
    // If the statement fails, its error is that of the transaction.
    connection.follow(setting)
    const ids = await setting
    const collection = item.setting.table.name
    const changes = ids.map((id): CommitChange => ({ op: 'update', collection, id }))
    return item.isBulk ? asBulk(changes) : changes
  }
  if ('bulk' in item) {
    const changes = await staging.stageBulk(partition, item.bulk, item.outcome)
    return item.isBulk ? asBulk(changes) : changes
  }
  const blobs = 'ready' in item.blobs ? item.blobs.ready : await item.blobs.writing
  return await staging.stage(partition, item.changes, blobs)
}
