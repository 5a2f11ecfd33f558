import { expect, test } from 'vitest'
import { readStructure } from '../../../src/mime/structure.ts'
import { partIds } from '../../../src/providers/mailpit/parts.ts'

const part = (type: string, body = 'x'): string => `Content-Type: ${type}\r\n\r\n${body}\r\n`
const parts = (kind: string, boundary: string, ...inner: string[]): string =>
  part(
    `multipart/${kind}; boundary=${boundary}`,
    [...inner.map((one) => `--${boundary}\r\n${one}`), `--${boundary}--`].join('\r\n'),
  )

const alternative = parts('alternative', 'a', part('text/plain'), part('text/html'))
const cases: readonly (readonly [name: string, message: string, ids: string[]])[] = [
  ['a single part', part('text/plain'), ['0']],
  ['two bodies', alternative, ['1', '2']],
  ['a file beside two bodies', parts('mixed', 'm', alternative, part('image/png')), ['1.1', '1.2', '2']],
  [
    'an image of the HTML, and a file',
    parts('mixed', 'm', parts('related', 'r', alternative, part('image/png')), part('image/gif')),
    ['1.1.1', '1.1.2', '1.2', '2'],
  ],
]

test.each(cases)('the parts of %s have the ids that Mailpit gives them', (_, message, ids) => {
  const { nodes } = readStructure(Buffer.from(message))
  expect([...partIds({ parts: nodes as Parameters<typeof partIds>[0]['parts'] }).values()]).toEqual(ids)
})
