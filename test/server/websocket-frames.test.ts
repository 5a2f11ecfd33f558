import { describe, expect, it } from 'vitest'
import {
  closeFrame,
  createFrameReader,
  maxClientMessageBytes,
  textFrame,
} from '../../src/server/websocket-frames.ts'

const mask = [7, 8, 9, 10]

/** A frame as a client sends it. */
function frame(first: number, payload: Uint8Array | string = '', isMasked = true): Buffer {
  const bytes = Buffer.from(payload)
  const bit = isMasked ? 0x80 : 0
  const size = bytes.length < 126 ? [bytes.length] : [126, bytes.length >> 8, bytes.length & 0xff]
  const head = Buffer.from([first, (size[0] ?? 0) | bit, ...size.slice(1), ...(isMasked ? mask : [])])
  return Buffer.concat([head, bytes.map((byte, i) => (isMasked ? byte ^ (mask[i % 4] ?? 0) : byte))])
}

const code = (value: number): Uint8Array => Buffer.from([value >> 8, value & 0xff])
const wrong = (value: number): object[] => [{ kind: 'wrong', code: value }]

describe('the frames of a client', () => {
  it.each<[what: string, sent: Buffer[], found: object[]]>([
    ['a ping', [frame(0x89, 'hi')], [{ kind: 'ping', payload: Buffer.from('hi') }]],
    ['a pong', [frame(0x8a, 'hi')], []],
    ['a message', [frame(0x81, 'x'.repeat(maxClientMessageBytes)), frame(0x82, 'x')], []],
    [
      'fragments with a ping between',
      [frame(1, 'a'), frame(0x89), frame(0, 'b'), frame(0x80)],
      [{ kind: 'ping', payload: Buffer.alloc(0) }],
    ],
    ['a close', [frame(0x88, code(1000)), frame(0x89)], [{ kind: 'close', code: 1000 }]],
    [
      'a close with a reason',
      [frame(0x88, Buffer.concat([code(4999), Buffer.from('bye')]))],
      [{ kind: 'close', code: 4999 }],
    ],
    ['a close without a code', [frame(0x88)], [{ kind: 'close', code: null }]],
    ['half a code', [frame(0x88, 'x')], wrong(1002)],
    ['a code that is not sent', [frame(0x88, code(1006))], wrong(1002)],
    ['an unknown code', [frame(0x88, code(2999))], wrong(1002)],
    ['no mask', [frame(0x81, 'x', false)], wrong(1002)],
    ['a reserved bit', [frame(0xc1, 'x')], wrong(1002)],
    ['an unknown opcode', [frame(0x83, 'x')], wrong(1002)],
    ['an unknown control opcode', [frame(0x8b)], wrong(1002)],
    ['a ping in fragments', [frame(0x09)], wrong(1002)],
    ['a long ping', [frame(0x89, 'x'.repeat(126))], wrong(1002)],
    ['a continuation of nothing', [frame(0x80, 'x')], wrong(1002)],
    ['a message within another', [frame(0x01, 'x'), frame(0x81, 'x')], wrong(1002)],
    ['a large message', [frame(0x81, 'x'.repeat(maxClientMessageBytes + 1))], wrong(1009)],
    [
      'a large message in fragments',
      [frame(1, 'x'.repeat(maxClientMessageBytes)), frame(0x80, 'x')],
      wrong(1009),
    ],
    ['a length of 64 bits', [Buffer.from([0x82, 0xff, 0xff, 0xff])], wrong(1009)],
  ])('%s: in one piece, and byte by byte', (_, sent, found) => {
    const all = Buffer.concat(sent)
    expect(createFrameReader()(all)).toEqual(found)
    const read = createFrameReader()
    expect([...all].flatMap((byte) => read(Buffer.from([byte])))).toEqual(found)
  })
})

it.each([0, 125, 126, 65_535, 65_536])('a text of %i bytes has its length before it', (size) => {
  const bytes = textFrame('x'.repeat(size))
  const head = size < 126 ? 2 : size < 65_536 ? 4 : 10
  expect(bytes.length).toBe(head + size)
  const length = head === 2 ? bytes[1] : head === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  expect([bytes[0], length]).toEqual([0x81, size])
  expect(closeFrame(1001)).toEqual(Buffer.from([0x88, 2, 3, 0xe9]))
})
