import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { CaptureStream } from '../../src/capture/stream.ts'

/** Feeds chunks, and answers each line at once or in a later turn; DATA begins a message. */
async function feed(
  pieces: readonly (string | Buffer)[],
  { late = false, most }: { late?: boolean; most?: number } = {},
): Promise<{ lines: string[]; messages: string[] }> {
  const lines: string[] = []
  const messages: string[] = []
  const stream: CaptureStream = new CaptureStream(most, (line, done) => {
    lines.push(line)
    if (line === 'QUIT') stream.isClosed = true
    if (line === 'DATA') {
      const data = stream.startDataMode()
      let text = ''
      data.on('data', (piece: Buffer) => (text += piece.toString('latin1')))
      data.on('end', () => {
        messages.push(text)
        stream.continue()
      })
      data.resume()
    }
    if (late) setImmediate(() => done?.())
    else done?.()
  })
  const ended = once(stream, 'finish')
  for (const piece of pieces) stream.write(piece)
  stream.end()
  await ended
  return { lines, messages }
}

describe.each([
  ['at once', false],
  ['later', true],
])('CaptureStream, lines answered %s', (_when, late) => {
  it('separates lines and messages, however they are split', async () => {
    const sent =
      'EHLO a\r\nMAIL FROM:<a@b.test>\nDATA\r\n..a\r\nDATA\r\n.\r\nNOOP\r\n\r\nDATA\r\n\r\n.\r\nRSET'
    const expected = {
      lines: ['EHLO a', 'MAIL FROM:<a@b.test>', 'DATA', 'NOOP', '', 'DATA', 'RSET'],
      messages: ['.a\r\nDATA\r\n', '\r\n'],
    }
    for (let length = 1; length <= sent.length; length++) {
      const pieces = []
      for (let at = 0; at < sent.length; at += length) pieces.push(sent.slice(at, at + length))
      expect(await feed(pieces, { late })).toEqual(expected)
    }
  })

  it('reads UTF-8 unchanged, also where a character is split', async () => {
    const line = Buffer.from('MAIL FROM:<zoë@exämple.test> SMTPUTF8\r\n')
    const cut = line.indexOf('ë') + 1
    const { lines } = await feed([line.subarray(0, cut), line.subarray(cut)], { late })
    expect(lines).toEqual(['MAIL FROM:<zoë@exämple.test> SMTPUTF8'])
  })

  it('reads a thousand commands of one chunk, in order', async () => {
    const commands = Array.from({ length: 1000 }, (_, i) => `RCPT TO:<a${i}@b.test>`)
    expect((await feed([commands.map((command) => `${command}\r\n`).join('')], { late })).lines).toEqual(
      commands,
    )
  })

  it('reads ten thousand messages of one chunk, and answers each as it ends', async () => {
    const { lines, messages } = await feed(['DATA\r\n.\r\n'.repeat(10_000)], { late })
    expect(lines).toHaveLength(10_000)
    expect(messages).toHaveLength(10_000)
  })

  it('ignores everything after QUIT', async () => {
    expect((await feed(['NOOP\r\nQUIT\r\nNOOP\r\n', 'NOOP\r\n'], { late })).lines).toEqual(['NOOP', 'QUIT'])
  })

  it('refuses a line that is too long, complete or not', async () => {
    expect((await feed([`${'a'.repeat(10)}\r\n`], { late, most: 10 })).lines).toEqual(['a'.repeat(10)])
    for (const pieces of [[`${'a'.repeat(11)}\r\n`], ['a'.repeat(11)], ['a'.repeat(6), 'a'.repeat(6)]]) {
      await expect(feed(pieces, { late, most: 10 })).rejects.toThrow('Command line too long')
    }
  })
})
