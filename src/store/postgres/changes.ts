import type { StoreChange } from '../store.ts'
import type { Effect } from './staging.ts'

/** A change of a commit, before it has the number of the commit. */
export type CommitChange = WithoutSeq<Exclude<StoreChange, { op: 'gap' }>>
type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never

/** A stored commit, as listeners get it. */
export interface StoredCommit {
  readonly seq: number
  readonly partition: string
  readonly changes: readonly CommitChange[]
}

/** The changes of a commit for listeners. @param isBulk  Whether listeners get one change for all records. */
export function changesOf(effects: readonly Effect[], isBulk: boolean): CommitChange[] {
  const [first] = effects
  if (!isBulk || !first) return effects.map(({ op, table, id }) => ({ op, collection: table.name, id }))
  const removed = effects.filter(({ op }) => op === 'remove').length
  const updated = effects.length - removed
  return [{ op: 'bulk', collection: first.table.name, updated, removed, isLast: false }]
}

/** By how many records a commit changed its partition. */
export function growthOf(changes: readonly CommitChange[]): number {
  let by = 0
  for (const change of changes) {
    if (change.op === 'bulk') by -= change.removed
    else if (change.op === 'insert') by++
    else if (change.op === 'remove') by--
  }
  return by
}
