import { LineDecoder } from './transfer-decoder.ts'

/** Decodes the lines between `begin` and `end`. If the first line is not `begin`, all lines are passed on unchanged. */
export class UuDecoder extends LineDecoder {
  #state: 'before' | 'in' | 'after' | 'plain' = 'before'

  protected override decode(lines: Buffer): Buffer {
    const decoded = this.#state === 'plain' ? '' : this.#decodeLines(lines.toString('latin1'))
    if (this.#state !== 'plain') return Buffer.from(decoded, 'latin1')
    this.countMisfits(lines.length)
    return lines
  }

  #decodeLines(lines: string): string {
    const decoded: string[] = []
    for (const line of lines.split(/\r?\n|\r/)) {
      if (this.#state === 'before' && line.trim() !== '')
        this.#state = /^begin [0-7]{3,4} /.test(line) ? 'in' : 'plain'
      else if (this.#state === 'in') {
        if (/^end[ \t]*$/.test(line)) this.#state = 'after'
        else decoded.push(decodeUuLine(line))
      }
    }
    return decoded.join('')
  }
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
