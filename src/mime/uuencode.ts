import { lineDecoder } from './line-decoder.ts'
import type { TransferDecoder } from './transfer-decoder.ts'

/** Decodes the lines between `begin` and `end`. If the first line is not `begin`, everything is passed on unchanged. */
export function createUuDecoder(): TransferDecoder {
  const counted = { misfits: 0 }
  let state: 'before' | 'in' | 'after' | 'plain' = 'before'
  const passOn = (lines: Buffer): Buffer => {
    counted.misfits += lines.length
    return lines
  }
  const decoder = lineDecoder((lines) => {
    if (state === 'plain') return passOn(lines)
    const decoded: string[] = []
    for (const line of lines.toString('latin1').split(/\r?\n|\r/)) {
      if (state === 'before') {
        if (/^begin [0-7]{3,4} /.test(line)) state = 'in'
        else if (line.trim() !== '') {
          state = 'plain'
          return passOn(lines)
        }
      } else if (state === 'in') {
        if (/^end[ \t]*$/.test(line)) state = 'after'
        else decoded.push(decodeUuLine(line))
      }
    }
    return Buffer.from(decoded.join(''), 'latin1')
  })
  return Object.assign(counted, decoder)
}

function decodeUuLine(line: string): string {
  const length = sixBits(line, 0)
  const octets: number[] = []
  for (let at = 1; octets.length < length && at < line.length; at += 4) {
    const group =
      (sixBits(line, at) << 18) |
      (sixBits(line, at + 1) << 12) |
      (sixBits(line, at + 2) << 6) |
      sixBits(line, at + 3)
    octets.push((group >> 16) & 0xff, (group >> 8) & 0xff, group & 0xff)
  }
  return String.fromCharCode(...octets.slice(0, length))
}

/** Spaces at the end of a line mean zeros and may have been removed, so missing characters count as zeros. */
function sixBits(line: string, at: number): number {
  return at < line.length ? (line.charCodeAt(at) - 0x20) & 0x3f : 0
}
