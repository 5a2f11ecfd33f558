import { asBulk, type CommitChange, type StoredCommit } from '../change-feed.ts'
import { setFlag } from './set-flag.ts'
import type { Staging } from './staging.ts'
import type { Waiting } from './waiting.ts'
import type { Transaction } from './transaction.ts'

/**
 * Checks the commits of a batch in order.
 *
 * @param refused  Gets the errors of those that are refused.
 * @param seq  The number of the last commit before the batch.
 */
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
  switch (item.kind) {
    case 'commit':
      return await staging.stage(partition, item.changes, await item.blobs)
    case 'bulk': {
      const changes = await staging.stageBulk(partition, item.changes, item.outcome)
      return item.isBulk ? asBulk(changes) : changes
    }
    case 'flag': {
      const setting = setFlag(connection, partition, item.setting, item.outcome)
      // If the statement fails, its error is that of the transaction.
      connection.follow(setting)
      const collection = item.setting.table.name
      const changes = (await setting).map((id): CommitChange => ({ op: 'update', collection, id }))
      return item.isBulk ? asBulk(changes) : changes
    }
    case 'notice':
      return [item.change]
  }
}
