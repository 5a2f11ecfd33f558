import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Mail } from '../../src/inbox/types.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { attachmentNames } from '../../src/mime/attachment-names.ts'
import { parseMessage } from '../../src/mime/parse.ts'
import { judged } from './_judged.ts'
import { differences, type Member } from './_second-opinion.ts'

/** One message of the corpus, and the expected result of reading it. */
export interface Case {
  title: string
  /** The RFC and section that define it, or this project's decision where there is none. */
  says: string
  /** One character per octet; see {@link lines} and {@link utf8}. */
  message: string
  expected: Expected
}

export interface Expected {
  subject?: string
  from?: Person[]
  to?: Person[]
  cc?: Person[]
  reply_to?: Person[]
  /** Values of header fields, decoded. */
  headers?: Record<string, string>
  /** Every leaf, in the order of the message. Default: one text body, which is not checked. */
  leaves?: Leaf[]
  /** Whether a problem is expected. Default: not checked. */
  problem?: boolean
}

export type Person = readonly [name: string, address: string]

/** A leaf of the message: a body, or an attachment. */
export interface Leaf {
  role: 'text' | 'html' | 'attachment'
  type: string
  /** As written in the part. Default: not checked. */
  charset?: string | null
  name: string | null
  cid: string | null
  disposition: 'inline' | 'attachment'
  /** The text of a body, with LF line ends. */
  says?: string
  /** How a plain text is shown in the HTML body. Default: not there. */
  inHtml?: string
  /** Whether a plain text is shown in the HTML body alone. */
  isOnlyInHtml?: true
  /** The decoded octets; a body needs them only where they are not in UTF-8. */
  octets?: Buffer
}

/** Lines with CRLF, also after the last one. Characters beyond `\xff` are not possible. */
export function lines(...all: string[]): string {
  return all.map((line) => `${line}\r\n`).join('')
}

/** The UTF-8 octets of a text, one character for each. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** Octets given in hexadecimal, one character for each. */
export function hex(digits: string): string {
  return Buffer.from(digits.replaceAll(' ', ''), 'hex').toString('latin1')
}

/** The header fields that most messages of the corpus begin with. */
export const head: string = 'From: Ada <ada@x.test>\r\nTo: bob@x.test\r\nSubject: s\r\nMIME-Version: 1.0'

/** A message with that header, a Content-Type, and a body of these lines. */
export function typed(contentType: string, ...body: string[]): string {
  return lines(head, `Content-Type: ${contentType}`, '', ...body)
}

/** A message of this Content-Type, with a body of octets. */
export function octetsAs(type: string, octets: string): string {
  const body = Buffer.from(octets, 'hex').toString('base64')
  return lines(head, `Content-Type: ${type}`, 'Content-Transfer-Encoding: base64', '', body)
}

/** The plain body. */
export function text(says: string, more: Partial<Leaf> = {}): Leaf {
  return { role: 'text', type: 'text/plain', name: null, cid: null, disposition: 'inline', says, ...more }
}

/** The HTML body. */
export function html(says: string, more: Partial<Leaf> = {}): Leaf {
  return { ...text(says, more), role: 'html', type: 'text/html' }
}

/** An attachment, without a name, with the disposition `attachment` by default. */
export function file(type: string, content: string | Buffer, more: Partial<Leaf> = {}): Leaf {
  const octets = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
  return { role: 'attachment', type, name: null, cid: null, disposition: 'attachment', octets, ...more }
}

/** Makes a test for each message of a class, which imports it and compares all views of it. */
export function corpus(className: string, cases: readonly Case[]): void {
  let post: Localpost
  beforeAll(async () => {
    post = await createLocalpost()
  })
  afterAll(() => post.close())

  describe(className, () => {
    it.each(cases.map((one) => [`${one.title} (${one.says})`, one] as const))('%s', async (_, one) => {
      const { message, expected } = one
      expect(message).toMatch(/^[\0-\xff]*$/)
      const bytes = Buffer.from(message, 'latin1')
      const { id } = await post.inbox.import(bytes)
      const { stream } = await post.inbox.raw(id)
      expect(Buffer.concat(await stream.toArray()).equals(bytes)).toBe(true)
      const read = await readAll(post, id, bytes)
      checkHeader(read, expected)
      checkBodies(read, expected)
      checkLeaves(read, expected)
      if (expected.problem !== undefined) expect(read.mail.problem !== null).toBe(expected.problem)
    })

    // Another parser is a second opinion. Where it differs, one of us is wrong, or the RFC leaves a choice.
    it('is read by mailparser in the same way, or differs as judged', async () => {
      const found: Record<string, readonly Member[]> = {}
      for (const { title, message } of cases) {
        const different = await differences(Buffer.from(message, 'latin1'))
        if (different.length > 0) found[title] = different
      }
      const known = (judged[className] ?? []).map(({ messages }) => messages)
      expect(found).toEqual(Object.assign({}, ...known))
    })

    it('has no message twice', () => {
      const messages = cases.map(({ message }) => message)
      expect(messages.filter((message, i) => messages.indexOf(message) !== i)).toEqual([])
      const titles = cases.map(({ title }) => title)
      expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([])
    })
  })
}

interface Read {
  parsed: Awaited<ReturnType<typeof parseMessage>>
  mail: Mail
  parts: Part[]
  attached: Buffer[]
}

interface Part {
  type: string
  charset: string | null
  name: string | null
  octets: Buffer
}

async function readAll(post: Localpost, id: string, bytes: Buffer): Promise<Read> {
  const mail = await post.inbox.get(id)
  const parts: Part[] = []
  for (;;) {
    const answer = await post.fetch(new Request(`http://localhost/dev/inbox/${id}/parts/${parts.length}`))
    const octets = Buffer.from(await answer.arrayBuffer())
    if (answer.status === 404) break
    expect(answer.status).toBe(200)
    const [type = '', charset] = (answer.headers.get('content-type') ?? '').split('; charset=')
    const disposition = answer.headers.get('content-disposition') ?? ''
    const shown = decodeURIComponent(/filename\*=UTF-8''(\S*)/.exec(disposition)?.[1] ?? '')
    const name = new RegExp(`^part-${parts.length}(?:\\.\\w+)?$`).test(shown) ? null : shown
    parts.push({ type, charset: charset ?? null, name, octets })
  }
  const attached: Buffer[] = []
  for (const { index } of mail.attachments) {
    const answer = await post.fetch(new Request(`http://localhost/dev/inbox/${id}/attachments/${index}`))
    expect(answer.status).toBe(200)
    attached.push(Buffer.from(await answer.arrayBuffer()))
  }
  return { parsed: parseMessage(bytes), mail, parts, attached }
}

function checkHeader({ parsed, mail }: Read, { subject, headers, ...people }: Expected): void {
  // The list shows a subject on one line: it folds white space and control characters to one space.
  if (subject !== undefined)
    expect([parsed.subject, mail.subject]).toEqual([
      subject,
      subject.replace(/[\s\0-\x1f\x7f]+/g, ' ').trim(),
    ])
  for (const [name, value] of Object.entries(headers ?? {}))
    expect(parsed.headers.find(([written]) => written === name)?.[1]).toBe(value)
  expect(mail.headers).toEqual(parsed.headers)
  for (const field of ['from', 'to', 'cc', 'reply_to'] as const) {
    const wanted = people[field]
    if (wanted) expect(parsed[field]).toEqual(wanted.map(([name, address]) => ({ name, address })))
  }
  for (const field of ['to', 'cc'] as const) {
    const addresses = people[field]?.map(([, address]) => address)
    if (addresses) expect(mail[field]).toEqual(addresses)
  }
}

function checkBodies({ parsed, mail }: Read, { leaves }: Expected): void {
  expect([mail.text, mail.html]).toEqual([parsed.text, parsed.html])
  if (!leaves) return
  const texts = leaves.flatMap((leaf) => (leaf.role === 'text' && !leaf.isOnlyInHtml ? [leaf.says] : []))
  const htmls = leaves.flatMap(({ role, says, inHtml }) => (role === 'html' ? [says] : (inHtml ?? [])))
  expect({ text: parsed.text, html: parsed.html }).toEqual({
    text: texts.join('\n'),
    html: htmls.join('\n'),
  })
}

function checkLeaves({ parsed, mail, parts, attached }: Read, { leaves }: Expected): void {
  if (!leaves) return
  // The tree of leaves.
  expect(parts.map(({ type, name }) => ({ type, name }))).toEqual(
    leaves.map(({ type, name }) => ({ type, name })),
  )
  for (const [i, { role, octets, charset, says }] of leaves.entries()) {
    const part = parts[i]
    if (octets) expect(part?.octets.toString('latin1')).toBe(octets.toString('latin1'))
    else if (role === 'text') expect(part && textOf(part)).toBe(says)
    if (charset !== undefined) expect(part?.charset).toBe(charset)
  }
  // The attachments of the body view.
  const wanted = leaves
    .filter(({ role }) => role === 'attachment')
    .map(({ type, name, cid, disposition, octets = Buffer.alloc(0) }, index) => ({
      index,
      filename: name,
      content_type: type,
      size_bytes: octets.length,
      sha256: createHash('sha256').update(octets).digest('hex'),
      content_id: cid,
      disposition,
    }))
  const members = (attachment: (typeof parsed.attachments)[number]): unknown => {
    const { index, filename, content_type, size_bytes, sha256, content_id, disposition } = attachment
    return { index, filename, content_type, size_bytes, sha256, content_id, disposition }
  }
  expect(parsed.attachments.map(members)).toEqual(wanted)
  const names = attachmentNames(parsed.attachments)
  expect(mail.attachments).toEqual(wanted.map((one, i) => ({ ...one, filename: names[i] })))
  expect(mail.attachment_count).toBe(wanted.length)
  for (const [i, leaf] of leaves.filter(({ role }) => role === 'attachment').entries())
    expect(attached[i]?.equals(leaf.octets ?? Buffer.alloc(0))).toBe(true)
}

/** The text of a plain part, decoded by the platform; for other charsets the octets must be given. */
function textOf({ octets }: Part): string {
  expect(isUtf8(octets)).toBe(true)
  return octets
    .toString()
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
}
