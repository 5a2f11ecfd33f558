import { describe, expect, it } from 'vitest'
import { DataScanner } from '../../src/capture/data.ts'

/** Feeds pieces until the end. */
function scan(pieces: Buffer[]): { content: string; rest: string | null } {
  const scanner = new DataScanner()
  const contents = []
  for (const [i, piece] of pieces.entries()) {
    const { content, rest } = scanner.feed(piece)
    contents.push(content)
    if (rest) {
      return {
        content: Buffer.concat(contents).toString('latin1'),
        rest: Buffer.concat([rest, ...pieces.slice(i + 1)]).toString('latin1'),
      }
    }
  }
  return { content: Buffer.concat(contents).toString('latin1'), rest: null }
}

describe('DataScanner', () => {
  it.each([
    ['.\r\n', '', ''],
    ['.\r\nQUIT\r\n', '', 'QUIT\r\n'],
    ['a\r\n.\r\nb', 'a\r\n', 'b'],
    ['..\r\n.\r\n', '.\r\n', ''],
    ['.a\r\n.\r\n', 'a\r\n', ''],
    ['\r\n..\r\n...\r\n.\r\n', '\r\n.\r\n..\r\n', ''],
    ['\n.\r\n\r\n.\r\n', '\n.\r\n\r\n', ''],
    ['\n..\n.\r\r\n.\r\n', '\n..\n.\r\r\n', ''],
    ['.\rx\r\n.\r\n', '\rx\r\n', ''],
    ['\r\r\n.\r\n', '\r\r\n', ''],
  ])('reads %j', (input, content, rest) => {
    expect(scan([Buffer.from(input)])).toEqual({ content, rest })
    expect(scan([...Buffer.from(input)].map((octet) => Buffer.from([octet])))).toEqual({ content, rest })
  })

  it('returns the message unchanged, however it is split', () => {
    let state = 1
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    for (let round = 0; round < 20_000; round++) {
      const message = Array.from({ length: random(14) }, () => '\r\n.a'[random(4)]).join('') + '\r\n'
      const sent = `${message.replace(/(^|\r\n)\./g, '$1..')}.\r\nNEXT`
      const pieces = []
      for (let at = 0; at < sent.length;) {
        const length = 1 + random(5)
        pieces.push(Buffer.from(sent.slice(at, at + length)))
        at += length
      }
      expect(scan(pieces)).toEqual({ content: message, rest: 'NEXT' })
    }
  })
})
