import { describe, expect, it } from 'vitest'
import { readStructure } from '../../src/mime/structure.ts'
import { expectLinearCost } from '../support/linear-cost.ts'
import { parseWithContents } from './_message.ts'
import { head, lines, mixed } from './_structure.ts'

describe('bounds', () => {
  it.each([
    ['parts', mixed('--b\r\n\r\nx\r\n'.repeat(1500)), /more than 1000 parts/],
    [
      'depth',
      Array.from(
        { length: 200 },
        (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
      ).join(''),
      /nested more than 100 deep/,
    ],
    [
      'header of one part',
      mixed('--b', `Content-Type: text/plain; x=${'y'.repeat(100_000)}`, '', 'T'),
      /^The header of a part has more than 65536 bytes; the fields after that are not read\.$/,
    ],
    [
      'fields of the message',
      `${'a:b\r\n'.repeat(6000)}Content-Type: text/html\r\n\r\nHello`,
      /^The header of the message has 5000 fields or more; those after that are not read\.$/,
    ],
    [
      'fields of a part',
      mixed('--b', ...Array.from({ length: 6000 }, () => 'a:b'), '', 'T'),
      /^The header of a part has 5000 fields or more; those after that are not read\.$/,
    ],
    [
      'header of the message',
      `${`X-Long: ${'value '.repeat(50)}\r\n`.repeat(4000)}Content-Type: text/html\r\n\r\nHello`,
      /^The header of the message has more than 1048576 bytes; the fields after that are not read\.$/,
    ],
    [
      'boundaries',
      lines(head(`multipart/mixed; boundary=${'b'.repeat(1000)}`), '', `--${'b'.repeat(1000)}`, '', 'T'),
      /^A boundary has more than 200 characters; its multipart is shown as text\.$/,
    ],
    [
      'header of all parts',
      mixed(`--b\r\nX-A: ${'y'.repeat(60_000)}\r\n\r\nx\r\n`.repeat(100)),
      /more than 4194304 bytes of header/,
    ],
    [
      'lines that begin like a boundary',
      mixed('--b', '', '--b x\r\n'.repeat(20_000)),
      /begin like a boundary/,
    ],
    [
      'transfer encodings',
      lines(head('text/plain'), 'Content-Transfer-Encoding: x-odd', '', 'T'),
      /"x-odd" is unknown/,
    ],
  ])('of %s are reported', (_, source, problem) => {
    const structure = readStructure(Buffer.from(source))
    expect(structure.problem).toMatch(problem)
    expect(structure.parts.length).toBeGreaterThan(0)
  })

  it('still read the body of a message whose header is too long', async () => {
    const source = Buffer.from(`X-A: ${'y'.repeat(2_000_000)}\r\nContent-Type: text/html\r\n\r\nHello`)
    expect(await parseWithContents(source)).toMatchObject({
      text: 'Hello',
      problem: expect.stringMatching(/^The header of the message has more than/),
    })
  })

  it('drop a cut field at the end of a header that is too long', async () => {
    const long = (to: string): Buffer =>
      Buffer.from(`X-A: ${'y'.repeat(1_048_576 - 20)}\r\nTo: ${to}\r\n\r\nHello`)
    expect(await parseWithContents(long('bob@example.com'))).toMatchObject({ to: [], text: 'Hello' })
    // The list of addresses has a limit of its own.
    const list = Array.from({ length: 30_000 }, (_, i) => `bob${i}@example.com`)
    const { to } = await parseWithContents(Buffer.from(`To: ${list.join(', ')}\r\n\r\nHello`))
    expect(to.map(({ address }) => address)).toEqual(list.slice(0, to.length))
  })

  it('read nested multiparts in linear time', () => {
    const nested = Array.from(
      { length: 90 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}x\r\n\r\n--b${i}x\r\n`,
    ).join('')
    expectLinearCost((size) => readStructure(Buffer.from(`${nested}\r\n${'-'.repeat(size)}`)), 50_000)
    const all = `${nested}\r\n${'-'.repeat(1_000_000)}`
    expect(readStructure(Buffer.from(all)).problem).toBe(null)
    const large = readStructure(Buffer.from(`${nested}\r\n${'-'.repeat(4_000_000)}`))
    expect(large.problem).toBe('Nested multiparts are too large to be split; the innermost is shown as text.')
    expect(large.text).not.toBe(null)
  })

  it('read a type with much white space in linear time', () => {
    const parts = (space: string): Buffer =>
      Buffer.from(mixed(...Array.from({ length: 20 }, () => `--b\r\nContent-Type: text${space};x=y\r\n\r\n`)))
    const spaces = (size: number): string => ' \t'.repeat(size / 2)
    expectLinearCost((size) => readStructure(parts(`${spaces(size)}x${spaces(size)}/`)), 2000)
    expect(readStructure(parts(`${spaces(2000)}/${spaces(2000)}html`)).problem).toBe(null)
  })
})
