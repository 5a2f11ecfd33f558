import { quote } from '../../core/errors.ts'
import { splitBlobId } from '../names.ts'
import { misuse } from '../io-errors.ts'
import type { Blob, Change } from '../store.ts'
import { type Blobs, LargeBlob, mostInline } from './blobs.ts'
import { isStorable } from './keys.ts'
import type { PreparedChange, StagedBlob, StagedBlobs } from './staging.ts'
import type { Table } from './table.ts'

/** A copy of a caller's change, with its row. @throws internal_error if it cannot be stored. */
export function prepareChange(table: Table, change: Change): PreparedChange {
  if (change.op === 'remove') return { op: 'remove', table, id: change.id, version: change.version }
  const version = change.op === 'update' ? change.record.version + 1 : 1
  const record = { ...change.record, version }
  if (typeof record.id !== 'string' || record.id === '' || !isStorable(record.id))
    throw misuse(`A record of ${table.name} cannot have the id ${quote(record.id)}.`)
  return { op: change.op, table, row: table.rowOf(record, JSON.stringify(record)) }
}

/** How many bytes a commit holds in memory until it is stored. */
export function heldBy(changes: readonly PreparedChange[], blobs: readonly Blob[]): number {
  let size = 0
  for (const change of changes) if (change.op !== 'remove') size += change.row.text.length
  for (const { parts } of blobs) for (const part of parts ?? []) size += part.byteLength
  return size
}

/** The owner and the name of a blob. @throws internal_error unless the commit writes the record of the owner. */
export function nameIn(changes: readonly Change[], blob: Blob): { owner: string; name: string } {
  const { owner, name } = splitBlobId(blob.id)
  const isWritten = changes.some((change) => change.op !== 'remove' && change.record.id === owner)
  if (owner === '' || name === '' || !isStorable(name) || !isWritten)
    throw misuse(`The blob ${JSON.stringify(blob.id)} comes with a commit that does not write its record.`)
  const size = blob.parts?.reduce((sum, part) => sum + part.byteLength, 0)
  if (size !== undefined && size !== blob.size)
    throw misuse(`The blob ${blob.id} says ${blob.size} bytes and has ${size}.`)
  return { owner, name }
}

type NamedBlob = { readonly blob: Blob; readonly owner: string; readonly name: string }

/**
 * The data that the transaction stores for each blob. Large blobs in memory are written first.
 */
export function stageBlobs(blobs: Blobs, named: readonly NamedBlob[]): StagedBlobs {
  const ready: StagedBlob[] = []
  const writing: Promise<StagedBlob>[] = []
  for (const { blob, owner, name } of named) {
    const { size, parts, spooled } = blob
    if (spooled instanceof LargeBlob) {
      ready.push({ owner, name, size, bytes: null, large: spooled.number })
      continue
    }
    if (!parts) throw misuse(`The blob ${blob.id} is of another store.`)
    const bytes = parts.length === 1 && parts[0] ? asBuffer(parts[0]) : Buffer.concat(parts)
    if (size <= mostInline) ready.push({ owner, name, size, bytes, large: null })
    else writing.push(spool(blobs, bytes, owner, name))
  }
  return writing.length === 0
    ? { ready }
    : { writing: Promise.all(writing).then((written) => [...ready, ...written]) }
}

async function spool(blobs: Blobs, bytes: Buffer, owner: string, name: string): Promise<StagedBlob> {
  const written = await blobs.createSpool()
  await written.write(bytes)
  const { number } = await written.finish()
  return { owner, name, size: bytes.length, bytes: null, large: number }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
