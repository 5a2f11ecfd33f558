import { Entry, type BlobPlace, type Places, samePlace } from './entry.ts'
import type { Medium, Move, StagedCommit, TakenBlob } from './medium.ts'
import type { BulkChange, BulkOutcome, RecordChange } from './bulk.ts'
import { CommitChecks, recordPlace, type UniqueKey } from './commit-checks.ts'
import type { PreparedChange } from './prepare.ts'
import { withMember, withVersion } from './record-text.ts'
import type { FlagChange } from './queries.ts'
import type { CollectionState } from './collection-state.ts'
import { toRecord } from './read-records.ts'
import type { Effect, Records } from './records.ts'
import { recordMembers } from './store.ts'

/**
 * The commits of one write: each is checked against memory and the commits staged before it, and a refused one does not
 * affect the others.
 */
export class Batch extends CommitChecks<CollectionState, Entry> {
  readonly commits: StagedCommit[] = []
  size = 0
  readonly #records: Records
  readonly #medium: Medium
  readonly #lastSeq: number
  #effects: Effect[] = []
  #payload: Uint8Array[] = []
  #payloadSize = 0

  constructor(records: Records, medium: Medium, lastSeq: number) {
    super()
    this.#records = records
    this.#medium = medium
    this.#lastSeq = lastSeq
  }

  /**
   * Adds a commit. A commit that changes nothing is left out.
   *
   * @throws unique_conflict, version_conflict; then the batch is as before.
   */
  stage(changes: readonly PreparedChange[], blobs: readonly TakenBlob[]): Promise<void> {
    return this.#staged(changes, (change) => this.#change(change, blobs))
  }

  /** Adds a commit that moves blobs to new places, if they are still at the old ones. */
  stageMoves(moves: readonly Move[]): Promise<void> {
    return this.#staged(moves, ({ collection, id, name, from, bytes }) => {
      const state = this.#records.collections.state(collection)
      const current = this.current(state, id)
      if (!current || current.text === '' || !samePlace(current.blobs?.[name], from)) return
      const blobs = { ...current.blobs, [name]: this.#hold([bytes], bytes.byteLength) }
      const { segment, version, text, keys, facts } = current
      this.#put(state, new Entry({ id, segment, version, text, keys, blobs, facts }), current, 'move')
    })
  }

  /**
   * Adds a commit of those changes whose records have not changed since they were read. A flag that a record has
   * already is left out.
   *
   * @param isBulk  Whether listeners get one change for all records.
   * @throws unique_conflict; then the batch is as before.
   */
  async stageBulk(changes: readonly BulkChange[], isBulk: boolean): Promise<BulkOutcome> {
    const outcome: BulkOutcome = { applied: 0, stale: [] }
    await this.#staged(changes, (change) => this.#bulkChange(change, outcome), isBulk)
    return outcome
  }

  /** Adds a commit whose effects are known already; it must be the only one of the batch. */
  stageEffects(effects: readonly Effect[]): void {
    this.#effects.push(...effects)
    this.#seal()
  }

  async #staged<T>(changes: readonly T[], add: (change: T) => void, isBulk = false): Promise<void> {
    try {
      await this.stageCommit(changes, add)
      this.#seal(isBulk)
    } finally {
      this.#reset()
    }
  }

  #bulkChange(change: BulkChange, outcome: BulkOutcome): void {
    const { state, id } = change
    const current = this.current(state, id)
    if (change.op === 'remove') {
      if (this.#remove(state, id, current)) outcome.applied++
      return
    }
    if (!current) {
      if (change.op === 'flag' && this.#rests(state, id) && !state.hasFlag(id, change.change))
        outcome.stale.push(id)
      return
    }
    const draft =
      change.op === 'flag' ? this.#flagged(state, current, change.change) : changed(current, change)
    if (draft === null) outcome.stale.push(id)
    else if (draft !== current) {
      this.#put(state, draft, current, 'update')
      outcome.applied++
    }
  }

  #change(change: PreparedChange, taken: readonly TakenBlob[]): void {
    const { state, id, op } = change
    const current = this.current(state, id)
    const expected = change.op === 'update' ? change.version - 1 : change.version
    this.assertPossible(state, op, id, expected, current)
    if (change.op === 'remove') {
      this.#remove(state, id, current)
      return
    }
    const version = change.op === 'put' ? (current?.version ?? 0) + 1 : change.version
    const text = version === change.version ? change.text : withVersion(change.text, version)
    const blobs = this.#place(id, current?.blobs ?? null, taken)
    const segment = current?.segment ?? state.assignSegment()
    const { keys, facts } = change
    const draft = new Entry({ id, segment, version, text, keys, blobs, facts })
    this.#put(state, draft, current, current ? 'update' : 'insert')
  }

  #put(
    state: CollectionState,
    draft: Entry,
    current: Entry | null,
    kind: 'insert' | 'update' | 'move',
  ): void {
    this.put(state, draft.id, draft, current)
    this.#effects.push({ op: 'put', state, draft, kind })
  }

  /** @returns False if there is no such record. One whose line cannot be read is not in memory, and can still be removed. */
  #remove(state: CollectionState, id: string, current: Entry | null): boolean {
    if (!current && !this.#rests(state, id)) return false
    this.drop(state, id, current)
    this.#effects.push({ op: 'remove', state, id })
    return true
  }

  /** Whether a record is only in its file, for one that is not in memory. */
  #rests(state: CollectionState, id: string): boolean {
    return !this.changed.has(recordPlace(state, id)) && state.rests(id)
  }

  /** The entry with a flag set, itself if it has it already; null if the record has to be read for that. */
  #flagged(state: CollectionState, current: Entry, change: FlagChange): Entry | null {
    const { flag, is } = change
    const { id, segment, version, text, keys, blobs } = current
    const known = current.facts ?? (current === this.stored(state, id) ? state.factsAt(id) : null)
    if (known === null && text === '') return null
    // After a start from files without an index, facts are not known until something asks for them.
    const facts = known ?? state.factsOf(toRecord(text))
    const next = facts && state.facts?.withFlag(facts, change)
    if (!next) return null
    if (next === facts) return current
    // In a record that a person edited, the member may be missing at the top and be present in a nested object.
    if (text === '' || (is && recordMembers(toRecord(text))[flag] !== false)) return null
    const set = withMember(text, flag, !is, is)
    const whole = set === null ? null : withMember(set, 'version', version, version + 1)
    if (whole === null) return null
    return new Entry({ id, segment, version: version + 1, text: whole, keys, blobs, facts: next })
  }

  protected override stored(state: CollectionState, id: string): Entry | null {
    return state.byId.get(id) ?? null
  }

  protected override storedHolder(state: CollectionState, { index, key }: UniqueKey): string | null {
    return (key && state.index(index).find(key)?.id) ?? null
  }

  protected override keysOf({ indexes }: CollectionState, { keys }: Entry): UniqueKey[] {
    const unique: UniqueKey[] = []
    for (const [slot, index] of indexes.entries()) {
      const key = index.unique ? keys[slot] : null
      if (key) unique.push({ index: index.name, text: JSON.stringify(key), key })
    }
    return unique
  }

  /** The places of the blobs of a record, including those of the current commit. */
  #place(id: string, before: Places | null, taken: readonly TakenBlob[]): Places | null {
    let places: Record<string, BlobPlace> | null = null
    for (const { owner, name, size, content } of taken) {
      if (owner !== id) continue
      places ??= { ...before }
      places[name] = 'large' in content ? content : this.#hold(content, size)
    }
    return places ?? before
  }

  #hold(bytes: readonly Uint8Array[], size: number): BlobPlace {
    const place = this.#medium.placeHeld(bytes, size, this.#payloadSize)
    if ('log' in place) {
      for (const piece of bytes) this.#payload.push(piece)
      this.#payloadSize += size
    }
    return place
  }

  #seal(isBulk = false): void {
    if (this.#effects.length === 0) return
    this.commits.push({
      seq: this.#lastSeq + this.commits.length + 1,
      effects: this.#effects,
      isBulk,
      payload: this.#payload,
      payloadSize: this.#payloadSize,
    })
    this.size += this.#payloadSize + this.#effects.length * roughRecordSize
  }

  #reset(): void {
    this.#effects = []
    this.#payload = []
    this.#payloadSize = 0
  }
}

/** The entry after a change of its record; null if the record was not read at this version. */
function changed(
  { id, segment, version: now, blobs }: Entry,
  { version, text, keys, facts }: RecordChange,
): Entry | null {
  return now === version - 1 ? new Entry({ id, segment, version, text, keys, blobs, facts }) : null
}

const roughRecordSize = 1024
