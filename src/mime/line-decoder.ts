import type { TransferDecoder } from './transfer-decoder.ts'

const nothing = Buffer.alloc(0)

/** Longer lines are decoded in pieces. No real encoder writes such lines. */
const maxLineLength = 64 * 1024

/** Passes only complete lines to `decode`. */
export function lineDecoder(
  decode: (lines: Buffer, isLast: boolean) => Buffer,
): Pick<TransferDecoder, 'write' | 'end'> {
  let held = nothing
  return {
    write(slice) {
      const bytes = held.length > 0 ? Buffer.concat([held, slice]) : slice
      let cut = bytes.lastIndexOf(newline) + 1
      if (bytes.length - cut > maxLineLength) {
        // An escape may continue in the next slice.
        const escape = bytes.indexOf(equals, bytes.length - 2)
        cut = escape === -1 ? bytes.length : escape
      }
      held = Buffer.from(bytes.subarray(cut))
      return cut === 0 ? nothing : decode(bytes.subarray(0, cut), false)
    },
    end: () => decode(held, true),
  }
}

const newline = 0x0a
const equals = 0x3d
