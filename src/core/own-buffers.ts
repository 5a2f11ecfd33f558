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
