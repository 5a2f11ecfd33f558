import type { Readable } from 'node:stream'

/**
 * Reads the beginning of a stream of bytes, and ends it.
 *
 * @param options.isPartEnough  Whether to return what was received where the stream fails. Default: that is an error.
 * @returns All of its bytes, or at least `minBytes` of them: the last piece is not cut.
 */
export async function readBeginning(
  stream: Readable,
  minBytes: number,
  { isPartEnough = false }: { isPartEnough?: boolean } = {},
): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      pieces.push(piece)
      size += piece.length
      if (size >= minBytes) break
    }
  } catch (error) {
    if (!isPartEnough) throw error
  } finally {
    stream.destroy()
  }
  return Buffer.concat(pieces, size)
}
