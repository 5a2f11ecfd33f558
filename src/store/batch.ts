import { Entry, type LargePlace, type Place, type Places, samePlace } from './entry.ts'
import type { Medium, Move, StagedCommit, TakenBlob } from './medium.ts'
import type { BulkChange, BulkOutcome } from './bulk.ts'
import { assertVersion, keyConflict } from './conflicts.ts'
import { type PreparedChange, withVersion } from './prepare.ts'
import type { CollectionState } from './collection-state.ts'
import type { Effect, Records } from './records.ts'
import type { SortedIndex } from './sorted-index.ts'
import type { IndexKey } from './queries.ts'
import { forEachSlice } from '../core/slices.ts'

/**
 * The commits of one write: each is checked against memory and the commits staged before it, and a refused one does not
 * affect the others.
 */
export class Batch {
  readonly commits: StagedCommit[] = []
  size = 0
  readonly #records: Records
  readonly #medium: Medium
  readonly #lastSeq: number
  readonly #entries: Map<CollectionState, Map<string, Entry | null>> = new Map()
  readonly #holders: Map<SortedIndex, Map<string, string | null>> = new Map()
  #undo: (() => void)[] = []
  #effects: Effect[] = []
  #payload: Uint8Array[] = []
  #payloadSize = 0

  constructor(records: Records, medium: Medium, lastSeq: number) {
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

  /** Adds the changes of one commit. If one fails, nothing of the commit remains. */
  async #staged<C>(changes: readonly C[], add: (change: C) => void, isBulk = false): Promise<void> {
    try {
      await forEachSlice(changes, add)
      this.#seal(isBulk)
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo()
      this.#reset()
      throw error
    }
  }

  /** Adds a commit that moves blobs to new places, if they are still at the old ones. */
  stageMoves(moves: readonly Move[]): void {
    for (const { collection, id, name, from, bytes } of moves) {
      const state = this.#records.state(collection)
      const current = this.#current(state, id)
      if (!current || current.text === '' || !samePlace(current.blobs?.[name], from)) continue
      const blobs = { ...current.blobs, [name]: this.#hold([bytes], bytes.byteLength) }
      const { segment, version, text, keys, facts } = current
      this.#put(state, new Entry(id, segment, version, text, keys, blobs, facts), 'move')
    }
    this.#seal()
  }

  /**
   * Adds a commit of those changes whose records have not changed since they were read.
   *
   * @param outcome  Receives the number of changes that were added, and the ids of the others.
   * @param isBulk  Whether listeners get one change for all records.
   * @throws unique_conflict; then the batch is as before.
   */
  stageBulk(changes: readonly BulkChange[], outcome: BulkOutcome, isBulk: boolean): Promise<void> {
    outcome.applied = 0
    outcome.stale = []
    return this.#staged(changes, (change) => this.#changeBulk(change, outcome), isBulk)
  }

  #changeBulk({ state, id, version, next }: BulkChange, outcome: BulkOutcome): void {
    const current = this.#current(state, id)
    if (!current) {
      // A record whose line cannot be read can still be removed.
      if (next === null && this.#removeUnread(state, id)) outcome.applied++
      return
    }
    if (next !== null && current.version !== version) {
      outcome.stale.push(id)
      return
    }
    outcome.applied++
    if (next === null) return this.#remove(state, current)
    const { text, keys, facts } = next
    const draft = new Entry(id, current.segment, version + 1, text, keys, current.blobs, facts)
    this.#claimKeys(state, current, draft)
    this.#put(state, draft, 'update')
  }

  /** Adds a commit whose effects are known already; it must be the only one of the batch. */
  stageEffects(effects: readonly Effect[]): void {
    this.#effects.push(...effects)
    this.#seal()
  }

  #change(change: PreparedChange, taken: readonly TakenBlob[]): void {
    const { state, id } = change
    const current = this.#current(state, id)
    if (change.op === 'remove') {
      if (change.version !== undefined) assertVersion(change.version, current, state.name, id)
      if (current) this.#remove(state, current)
      // A record whose line cannot be read can still be removed.
      else this.#removeUnread(state, id)
      return
    }
    if (change.op === 'insert' && current) throw keyConflict(state.name, 'id', [id], id)
    if (change.op === 'update') assertVersion(change.version - 1, current, state.name, id)
    const version = change.op === 'put' ? (current?.version ?? 0) + 1 : change.version
    const text = version === change.version ? change.text : withVersion(change.text, version)
    const blobs = this.#place(id, current?.blobs ?? null, taken)
    const segment = current?.segment ?? state.assign()
    const draft = new Entry(id, segment, version, text, change.keys, blobs, change.facts)
    this.#claimKeys(state, current, draft)
    this.#put(state, draft, current ? 'update' : 'insert')
  }

  #put(state: CollectionState, draft: Entry, kind: 'insert' | 'update' | 'move'): void {
    this.#set(this.#entries, state, draft.id, draft)
    this.#effects.push({ op: 'put', state, draft, kind })
  }

  #remove(state: CollectionState, current: Entry): void {
    state.indexes.forEach((index, slot) => this.#claim(index, current.keys[slot] ?? null, null))
    this.#set(this.#entries, state, current.id, null)
    this.#effects.push({ op: 'remove', state, id: current.id })
  }

  /** @returns False if the record does not exist, or was removed by this batch. */
  #removeUnread(state: CollectionState, id: string): boolean {
    if (this.#entries.get(state)?.has(id) || !state.rests(id)) return false
    this.#set(this.#entries, state, id, null)
    this.#effects.push({ op: 'remove', state, id })
    return true
  }

  #claimKeys(state: CollectionState, current: Entry | null, draft: Entry): void {
    state.indexes.forEach((index, slot) => {
      if (!index.unique) return
      const key = draft.keys[slot] ?? null
      const holder = key && this.#holderOf(index, key)
      if (key && holder && holder !== draft.id) throw keyConflict(state.name, index.name, key, holder)
      this.#claim(index, current?.keys[slot] ?? null, null)
      this.#claim(index, key, draft.id)
    })
  }

  #claim(index: SortedIndex, key: IndexKey | null, holder: string | null): void {
    if (index.unique && key) this.#set(this.#holders, index, JSON.stringify(key), holder)
  }

  #holderOf(index: SortedIndex, key: IndexKey): string | null {
    const staged = this.#holders.get(index)?.get(JSON.stringify(key))
    return staged === undefined ? (index.find(key)?.id ?? null) : staged
  }

  #current(state: CollectionState, id: string): Entry | null {
    const staged = this.#entries.get(state)?.get(id)
    return staged === undefined ? (state.byId.get(id) ?? null) : staged
  }

  #set<K, V>(maps: Map<K, Map<string, V>>, of: K, key: string, value: V): void {
    let map = maps.get(of)
    if (!map) maps.set(of, (map = new Map()))
    const before = map.get(key)
    map.set(key, value)
    this.#undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)))
  }

  /** The places of the blobs of a record, including those of the current commit. */
  #place(id: string, before: Places | null, taken: readonly TakenBlob[]): Places | null {
    let places: Record<string, Place> | null = null
    for (const { owner, name, size, content } of taken) {
      if (owner !== id) continue
      places ??= { ...before }
      places[name] = isLarge(content) ? content : this.#hold(content, size)
    }
    return places ?? before
  }

  #hold(bytes: readonly Uint8Array[], size: number): Place {
    const place = this.#medium.placeHeld(bytes, size, this.#payloadSize)
    if ('log' in place) {
      for (const piece of bytes) this.#payload.push(piece)
      this.#payloadSize += size
    }
    return place
  }

  #seal(isBulk = false): void {
    if (this.#effects.length > 0) {
      const seq = this.#lastSeq + this.commits.length + 1
      this.commits.push({
        seq,
        effects: this.#effects,
        isBulk,
        payload: this.#payload,
        payloadSize: this.#payloadSize,
      })
      this.size += this.#payloadSize + this.#effects.length * roughRecordSize
    }
    this.#reset()
  }

  #reset(): void {
    this.#undo = []
    this.#effects = []
    this.#payload = []
    this.#payloadSize = 0
  }
}

const roughRecordSize = 1024

function isLarge(content: TakenBlob['content']): content is LargePlace {
  return 'large' in content
}
