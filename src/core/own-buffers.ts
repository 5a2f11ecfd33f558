/** The buffers of those byte arrays that use all of their buffer. They can be transferred to a thread without a copy. */
export function ownBuffers(values: readonly unknown[]): ArrayBuffer[] {
  return values.flatMap((value) =>
    value instanceof Uint8Array &&
    value.buffer instanceof ArrayBuffer &&
    value.buffer.byteLength === value.byteLength
      ? [value.buffer]
      : [],
  )
}

/** The same for the result of a job, which may have byte arrays inside. */
export function buffersInside(value: unknown, levels: number = 3): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) return []
  if (value instanceof Uint8Array) return ownBuffers([value])
  return levels === 0 ? [] : Object.values(value).flatMap((member) => buffersInside(member, levels - 1))
}

/** The same bytes as a `Buffer`: from another thread, one arrives as a `Uint8Array`. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
