import { isUtf8 } from 'node:buffer'
import { expect, it } from 'vitest'
import { decodeOctets } from '../../../src/mime/headers/octets.ts'

it('each line of a header is read as UTF-8 if it is valid, else with half surrogates for octets beyond ASCII', () => {
  for (const unit of ['\xe4 ', '\xc3\xa4\xe4', 'a\n\xe4', '\xe2\x82\xac\n\xe4\r\n'])
    for (const length of [1, 2, 3, 100, 40_000]) {
      const block = Buffer.alloc(length, Buffer.from(unit, 'latin1'))
      const lines = block.toString('latin1').split('\n')
      expect(decodeOctets(block)).toBe(lines.map(expectedLine).join('\n'))
    }
})

/** @param line  Octets as Latin-1. */
function expectedLine(line: string): string {
  const octets = Buffer.from(line, 'latin1')
  if (isUtf8(octets)) return octets.toString('utf8')
  return line.replace(/[\x80-\xff]/g, (octet) => String.fromCharCode(0xdc00 | octet.charCodeAt(0)))
}
