import type { Readable } from 'node:stream'
import type { LocalpostError } from '../core/errors.ts'
import type { HeldPlace, LargePlace, LogPlace, BlobPlace } from './entry.ts'
import type { Effect, PlaceKeeper, Records } from './records.ts'
import type { Blob, BlobWriter, LowDisk } from './store.ts'
import type { BlobId, BlobName } from './names.ts'

/** One commit, checked and numbered, on its way to the medium. */
export interface StagedCommit {
  /** Its number: one more than that of the commit before it. */
  readonly seq: number
  readonly effects: readonly Effect[]
  /** Whether it is a part of a bulk change, for which listeners get one change. */
  readonly isBulk: boolean
  /** The bytes of blobs that are written after the frame, in the order of their places. */
  readonly payload: readonly Uint8Array[]
  readonly payloadSize: number
}

/** A blob of a commit, after the medium has written those that are too large for a frame. */
export interface TakenBlob extends BlobName {
  readonly size: number
  /** Held bytes, or where the medium has put them. */
  readonly content: readonly Uint8Array[] | LargePlace
}

/** A blob that was taken, or that is being written. */
export type Taking = { readonly taken: TakenBlob } | { readonly writing: Promise<TakenBlob> }

/**
 * What the engine needs from the medium that keeps the bytes: a folder with a log, or memory. For each commit it calls
 * `waitForSpace`, `assertRoom` if it is one of new mail alone, and `take` for each blob; for a batch of commits `placeHeld` for each blob that is held,
 * `write`, and, once the batch is applied to memory, `applied`. There is one batch at a time. If a commit fails, `undo` is
 * called for each of its blobs.
 */
export interface Medium extends PlaceKeeper {
  /** Fills the records from what is stored. @returns the seq of the last commit. */
  load(records: Records): Promise<number>
  /** Starts the maintenance. Called once, after `load`. */
  start(engine: MaintainedEngine): void
  /** A writer for a blob of a later commit. */
  createBlob(id: BlobId): BlobWriter
  /**
   * Takes a blob of a commit. A blob that is too large for a frame is written now. `undo` discards the blob after the
   * commit failed. It gets the error, because the bytes must stay if the commit may be stored despite the error.
   */
  take(blob: Blob, name: BlobName): Taking & { undo(reason: unknown): void }
  /** The place of a blob in memory that follows `at` other bytes in the payload of the frame. */
  placeHeld(bytes: readonly Uint8Array[], size: number, at: number): LogPlace | HeldPlace
  /**
   * Await it before the blobs of a commit are taken: it waits while removed data still uses too much space. Usually
   * there is nothing to wait for.
   */
  waitForSpace(blobs: readonly Blob[]): Promise<void> | undefined
  /** @throws store_full while the disk has no room for new records. */
  assertRoom(): void
  /** As `Store.refusal`. */
  refusal(): LocalpostError | null
  /** The size of all blobs that records use, in bytes. */
  usedBytes(): number
  /** As `Store.lowDisk`. */
  lowDisk(): Promise<LowDisk | null>
  /**
   * Stores a batch durably, or rejects and leaves everything as it was; with store_unknown it may be stored.
   *
   * @param mayUseReserve  Whether it may use the reserved space of the disk, because no commit in it only adds records.
   */
  write(batch: readonly StagedCommit[], mayUseReserve: boolean): Promise<void>
  /** Called when the last written batch was applied to memory. */
  applied(): void
  /** The bytes of a blob from `start` up to `end`. */
  read(place: BlobPlace, start: number, end: number): Promise<Buffer>
  /** A stream of them, which reads to the end even if the blob is removed meanwhile. */
  open(place: BlobPlace, start: number, end: number): Promise<Readable>
  close(): Promise<void>
}

/** The parts of the engine that maintenance needs. */
export interface MaintainedEngine {
  readonly records: Records
  /** Commits the bytes of these blobs at new places. A blob that is no longer at its old place is skipped. */
  move(moves: readonly Move[]): Promise<void>
}

/** A blob to move: the record and the name that it belongs to, its old place, and its bytes. */
export interface Move {
  readonly collection: string
  readonly id: string
  readonly name: string
  readonly from: BlobPlace
  readonly bytes: Uint8Array
}
