import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type SourceBlock, toBlocks } from '../../ui/views/inbox/source-blocks.ts'

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url))

describe('the blocks of a source', () => {
  it('are header fields with their folds, boundaries, and bodies marked as encoded or readable', () => {
    const blocks = toBlocks(
      'Subject: Hi\r\nX-Long: a\r\n b\r\nContent-Type: multipart/mixed; boundary="one"\r\n\r\npreamble\r\n--one\r\n' +
        'Content-Transfer-Encoding: base64\r\n\r\naGk=\r\n--one--\r\n',
    )
    expect(blocks.map(({ kind }) => kind)).toEqual([
      'headers',
      'body',
      'boundary',
      'headers',
      'body',
      'boundary',
      'body',
    ])
    expect(blocks[0]).toEqual({
      kind: 'headers',
      fields: [
        { name: 'Subject', value: ' Hi', more: [] },
        { name: 'X-Long', value: ' a', more: [' b'] },
        { name: 'Content-Type', value: ' multipart/mixed; boundary="one"', more: [] },
      ],
    })
    expect(blocks[4]).toEqual({ kind: 'body', lines: ['', 'aGk='], isEncoded: true })
  })

  it.each(readdirSync(fixtures).filter((name) => name.endsWith('.eml')))(
    'leave nothing out of %s',
    (name) => {
      const source = readFileSync(fixtures + name, 'utf8')
      expect(textOf(toBlocks(source))).toBe(source.replaceAll('\r\n', '\n'))
    },
  )

  it('take one pass over a hostile source', () => {
    const source = `Content-Type: multipart/mixed; boundary=b\n\n${'--b\nContent-Type: multipart/mixed; boundary=b\n\n'.repeat(20_000)}`
    expect(textOf(toBlocks(source))).toBe(source)
  })
})

function textOf(blocks: SourceBlock[]): string {
  return blocks
    .flatMap((block) => {
      if (block.kind === 'headers')
        return block.fields.flatMap(({ name, value, more }) => [`${name}:${value}`, ...more])
      return block.kind === 'boundary' ? [block.text] : block.lines
    })
    .join('\n')
}
