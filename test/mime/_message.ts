import { expect } from 'vitest'
import type { MessageInput } from '../../src/mime/compose/message-input.ts'
import { parseMessage, type ParsedAttachment, type ParsedMessage } from '../../src/mime/parse.ts'
import { readPart } from '../../src/mime/part-stream.ts'

/** The least that makes a message. */
export const plain: MessageInput = {
  from: 'Acme <hi@acme.com>',
  to: 'ada@example.com',
  subject: 'Hello',
  html: '',
  text: 'Hello Ada',
  message_id: '<1@acme.com>',
  date: new Date('2026-01-02T03:04:05Z'),
}

/** The whole composed message, after a check of its announced size. */
export async function bytesOf(composed: Promise<{ parts: Buffer[]; size_bytes: number }>): Promise<Buffer> {
  const { parts, size_bytes } = await composed
  const bytes = Buffer.concat(parts)
  expect(bytes.length).toBe(size_bytes)
  return bytes
}

/** Whether SMTP can carry it unchanged. */
export function expectSmtpLines(bytes: Buffer): void {
  const text = bytes.toString('latin1')
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n\0]/)
  for (const line of text.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998)
}

/** A parsed message, with the bytes of its attachments. */
export async function parseWithContents(
  source: Buffer,
): Promise<Omit<ParsedMessage, 'attachments'> & { attachments: (ParsedAttachment & { content: Buffer })[] }> {
  const parsed = parseMessage(source)
  const attachments = []
  for (const attachment of parsed.attachments) {
    attachments.push({ ...attachment, content: readPart(source, attachment.part) })
  }
  return { ...parsed, attachments }
}
