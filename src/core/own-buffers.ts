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
