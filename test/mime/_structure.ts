import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { parseWithContents } from './_message.ts'

/** Lines of a message, of which the last has no end. */
export function lines(...all: string[]): string {
  return all.join('\r\n')
}

/** The header of a message of this Content-Type, without the empty line. */
export function head(type: string): string {
  return `From: a@b.test\r\nMIME-Version: 1.0\r\nContent-Type: ${type}`
}

/** A message of the type multipart/mixed, whose boundary is `b`. */
export function mixed(...rest: string[]): string {
  return lines(head('multipart/mixed; boundary=b'), '', ...rest)
}

/** What a message is read as. */
export interface Wanted {
  text?: string
  html?: string
  /** Type, name and content of each attachment. */
  files?: [content_type: string, filename: string | null, content: string][]
  problem?: RegExp
}

/** Checks the bodies, the attachments with their checksums, and the problem of a message. */
export async function expectRead(source: string | Buffer, wanted: Wanted): Promise<void> {
  const bytes = typeof source === 'string' ? Buffer.from(source, 'latin1') : source
  const { text, html, attachments, problem } = await parseWithContents(bytes)
  const files = attachments.map(({ content_type, filename, content }) => [
    content_type,
    filename,
    content.toString('latin1'),
  ])
  expect({ text, html, files }).toEqual({
    text: wanted.text ?? '',
    html: wanted.html ?? '',
    files: wanted.files ?? [],
  })
  if (wanted.problem) expect(problem).toMatch(wanted.problem)
  else expect(problem).toBeNull()
  for (const { content, size_bytes, sha256 } of attachments) {
    expect(size_bytes).toBe(content.length)
    expect(sha256).toBe(createHash('sha256').update(content).digest('hex'))
  }
}
