import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { crcOf, joinedCrc } from '../../src/store/disk/crc.ts'

describe('joinedCrc', () => {
  it('is the checksum of both pieces together, whatever their lengths', () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * i * 31 + i) % 251))
    const lengths = [0, 1, 2, 3, 7, 8, 255, 256, 2048, 2049, 20_480, 65_535, 65_536, 69_999]
    for (const length of lengths) {
      for (const from of [0, 1, 17, 70_000 - length]) {
        const [first, second] = [bytes.subarray(0, from), bytes.subarray(from, from + length)]
        const both = crc32(bytes.subarray(0, from + second.byteLength))
        expect(joinedCrc(crc32(first), crc32(second), second.byteLength)).toBe(both)
        expect(crcOf([first, second])).toBe(both)
      }
    }
  })

  it('is correct for pieces of gigabytes', () => {
    // Doubling a block of zeros repeatedly computes the same checksum in another way.
    let crc = crc32(Buffer.alloc(1))
    let length = 1
    for (; length < 2 ** 20; length *= 2) crc = joinedCrc(crc, crc, length)
    expect(crc).toBe(crc32(Buffer.alloc(2 ** 20)))
    for (; length < 2 ** 33; length *= 2) crc = joinedCrc(crc, crc, length)
    const piece = crc32(Buffer.alloc(2 ** 20))
    let stepwise = piece
    for (let i = 1; i < 2 ** 13; i++) stepwise = joinedCrc(stepwise, piece, 2 ** 20)
    expect(crc).toBe(stepwise)
  })
})
