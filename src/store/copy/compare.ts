import { createHash, type Hash } from 'node:crypto'
import type { Store } from '../store.ts'
import { type CopyPart, partTitle } from './copy.ts'

export interface Comparison {
  readonly records: number
  readonly blobs: number
  readonly bytes: number
  /**
   * SHA-256 over the names, members and bytes of all records of the first store: stores with the same content have the
   * same digest.
   */
  readonly checksum: string
  /** The differences, one sentence each: the first 20, and one that counts the others. */
  readonly differences: readonly string[]
}

/**
 * Reads all records and blobs of both stores again and compares them, until `signal` is aborted.
 *
 * @param options  As for `copyStore`.
 */
export async function compareParts(
  parts: readonly CopyPart[],
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (done: number, all: number) => void } = {},
): Promise<Comparison> {
  const all = createHash('sha256')
  const count = parts.reduce((total, { ids }) => total + ids.length, 0)
  const differences: string[] = []
  const sum = { records: 0, blobs: 0, bytes: 0 }
  for (const part of parts) {
    const { partition, collection, from, to, ids } = part
    const place = partTitle(part)
    const others = await to.count(collection)
    if (others !== ids.length) differences.push(`${place}: ${ids.length} records, and ${others} in the copy.`)
    for (let at = 0; at < ids.length && !signal?.aborted; at += comparedAtOnce) {
      const now = ids.slice(at, at + comparedAtOnce)
      const found = await Promise.all(
        now.map(async (id) => await Promise.all([describe(from, part, id), describe(to, part, id)])),
      )
      for (const [n, [one, other]] of found.entries()) {
        const id = now[n] ?? ''
        if (one.text !== other.text) differences.push(`${place}, ${id}: ${differenceOf(one, other)}.`)
        all.update(`${partition} ${collection.name} ${one.text}\n`)
        sum.records++
        sum.blobs += one.blobs
        sum.bytes += one.bytes
      }
      onProgress?.(sum.records, count)
    }
  }
  return { ...sum, checksum: all.digest('hex'), differences: firstOf(differences) }
}

interface Description {
  /** The record and the digests of its blobs; null members say what is missing. */
  readonly text: string
  readonly record: string | null
  readonly blobs: number
  readonly bytes: number
}

async function describe(store: Store, { collection }: CopyPart, id: string): Promise<Description> {
  const found = await store.get(collection, id)
  const record = found && JSON.stringify({ ...found, version: 1 })
  const digests: string[] = []
  let bytes = 0
  if (found) {
    for (const name of (await store.blobNames(collection, id)).toSorted()) {
      const hash = createHash('sha256')
      bytes += await hashBlob(store, `${id}/${name}`, hash)
      digests.push(`${name} ${hash.digest('hex')}`)
    }
  }
  return { text: `${record} ${digests.join(' ')}`, record, blobs: digests.length, bytes }
}

async function hashBlob(store: Store, id: `${string}/${string}`, hash: Hash): Promise<number> {
  let size = 0
  for await (const piece of ((await store.openBlob(id)) ?? []) as AsyncIterable<Buffer>) {
    hash.update(piece)
    size += piece.length
  }
  return size
}

function differenceOf(one: Description, other: Description): string {
  if (other.record === null) return 'missing in the copy'
  return one.record === other.record ? 'its bytes differ' : 'its members differ'
}

function firstOf(differences: readonly string[]): string[] {
  const first = differences.slice(0, maxDifferences)
  const more = differences.length - first.length
  return more > 0 ? [...first, `And ${more} other records or collections.`] : first
}

const comparedAtOnce = 16
const maxDifferences = 20
