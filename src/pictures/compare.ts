import type { Pixels } from 'pngjs'
import { invalidOption } from '../core/errors.ts'

/** How two pictures differ. */
export interface PictureDifference {
  /** How many pixels differ; where sizes differ, also what one of them lacks. */
  pixels: number
  /** A PNG with what differs in red. */
  picture: Buffer
  /** As `375×420, not 375×400`; null if both have the same size. */
  sizes: string | null
}

/**
 * Compares two PNG files.
 *
 * @param threshold  From 0 to 1: how much the color of a pixel may differ. Edges that are smoothed in another way are equal.
 * @returns Null if no pixel differs.
 * @throws invalid_option if the stored file is no PNG, or larger than pictures of mails are.
 */
export async function comparePictures(
  stored: Buffer,
  taken: Buffer,
  threshold: number,
): Promise<PictureDifference | null> {
  if (stored.equals(taken)) return null
  const { PNG } = await import('pngjs')
  const { default: pixelmatch } = await import('pixelmatch')
  const before = readPicture(stored, PNG)
  const after = readPicture(taken, PNG)
  const width = Math.max(before.width, after.width)
  const height = Math.max(before.height, after.height)
  const data = new Uint8Array(width * height * 4)
  // Black beside white: what one picture lacks is a difference.
  const [one, other] = [padded(before, width, height, 0), padded(after, width, height, 255)]
  const pixels = pixelmatch(one, other, data, width, height, { threshold })
  const isResized = before.width !== after.width || before.height !== after.height
  if (pixels === 0 && !isResized) return null
  return {
    pixels,
    picture: PNG.sync.write({ width, height, data }),
    sizes: isResized ? `${after.width}×${after.height}, not ${before.width}×${before.height}` : null,
  }
}

const maxSide = 20_000
const maxPixels = 40_000_000

/** Checks the size, which is in the first bytes, before memory is taken for the pixels. Only a stored file can be wrong. */
function readPicture(file: Buffer, PNG: typeof import('pngjs').PNG): Pixels {
  const isPng =
    file.length > 24 && file.subarray(0, 8).equals(signature) && file.toString('latin1', 12, 16) === 'IHDR'
  const [width, height] = isPng ? [file.readUInt32BE(16), file.readUInt32BE(20)] : [0, 0]
  const isUsual = width > 0 && width <= maxSide && height <= maxSide && width * height <= maxPixels
  try {
    if (isUsual) return PNG.sync.read(file)
    throw new RangeError(`it has ${width}×${height} pixels`)
  } catch (error) {
    const reason =
      isPng && error instanceof Error ? error.message : 'it does not begin with the header of a PNG'
    const message = `A stored picture of ${file.length} bytes is not a PNG that was taken of a mail: ${reason}. Restore it, or remove it and write it anew.`
    throw invalidOption(message, error)
  }
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function padded(picture: Pixels, width: number, height: number, level: number): Uint8Array {
  if (picture.width === width && picture.height === height) return picture.data
  const data = new Uint8Array(width * height * 4).fill(level)
  for (let at = 3; at < data.length; at += 4) data[at] = 255
  const row = picture.width * 4
  for (let y = 0; y < picture.height; y++)
    data.set(picture.data.subarray(y * row, (y + 1) * row), y * width * 4)
  return data
}
