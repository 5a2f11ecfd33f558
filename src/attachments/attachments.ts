import { isAscii, isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import { type FieldError, LocalpostError, messageOf } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { asBuffer } from '../core/own-buffers.ts'
import { mediaTypeByName } from '../mime/media-types.ts'
import { encodedSize } from '../mime/message-size.ts'
import { maxContentTypeLength } from './schema.ts'
import { fetchAttachment, type Fetched, type FetchLimits } from './fetch.ts'
import { locate, type Source } from './locate.ts'
import type { ReadReference } from './reference.ts'
import type { AttachmentReference } from './types.ts'

/** Where attachments may come from. */
export interface AttachmentSources extends Omit<FetchLimits, 'maxBytes'> {
  /** Folder whose files may be attached; null: none. */
  root: string | null
}

/** An attachment with its bytes. */
export interface LoadedAttachment {
  filename: string
  content_type: string | null
  content_id: string | null
  content: Buffer
}

/** Checks attachments without fetching, and adds what is wrong to `errors`. @returns Their encoded size, if known. */
export async function checkAttachments(
  references: readonly AttachmentReference[],
  { root }: Pick<AttachmentSources, 'root'>,
  errors: FieldError[],
): Promise<number> {
  let size = 0
  for (const [i, reference] of references.entries()) {
    const field = `attachments[${i}]`
    const nameProblem = filenameProblem(reference.filename)
    if (nameProblem) errors.push({ field: `${field}.filename`, message: nameProblem })
    const typeProblem = contentTypeProblem(reference.content_type)
    if (typeProblem) errors.push({ field: `${field}.content_type`, message: typeProblem })
    const source = await locate(reference, root)
    if ('problem' in source) errors.push({ field: `${field}.path`, message: source.problem })
    else if (source.kind === 'data') size += encodedSize(source.content.length)
    else if (source.kind === 'file') size += encodedSize(source.size)
  }
  return size
}

/**
 * Reads the bytes of one attachment, and repeats the checks whose result may have changed since the acceptance.
 *
 * @param maxBytes  How many bytes of the message's limit are left.
 * @throws attachment_failed with the path and the reason.
 */
export async function loadAttachment(
  reference: ReadReference,
  sources: AttachmentSources,
  maxBytes: number,
): Promise<LoadedAttachment> {
  const source = await locate(reference, sources.root)
  if ('problem' in source) throw failed(reference.path, source.problem)
  const loaded = await loadSource(source, reference.path, sources, maxBytes)
  const content_type = reference.content_type ?? (await typeOf(reference.filename, loaded))
  const { filename, content_id = null } = reference
  return { filename, content_type, content_id, content: loaded.content }
}

async function loadSource(
  source: Exclude<Source, { problem: string }>,
  given: string,
  sources: AttachmentSources,
  maxBytes: number,
): Promise<Fetched> {
  switch (source.kind) {
    case 'file':
      return { content: await readFileUpTo(source.path, maxBytes, given), content_type: null }
    case 'url':
      return fetchAttachment(source.url, { ...sources, maxBytes })
    case 'data':
      if (source.content.length > maxBytes)
        throw failed(given, `it is larger than the ${maxBytes} bytes left`)
      return { ...source, content: asBuffer(source.content) }
  }
}

/**
 * The type of an attachment without a type in the request: by its file name, else the type that the source gives. If
 * the name means text, the charset of the source counts. UTF-8 text without a charset is labelled, because otherwise it
 * would be US-ASCII (RFC 2046 section 4.1.2).
 */
async function typeOf(filename: string, { content, content_type }: Fetched): Promise<string | null> {
  const type = mergedType(await mediaTypeByName(filename), usable(content_type))
  const isUnlabelledText = type !== null && /^text\//i.test(type) && !/;\s*charset\s*=/i.test(type)
  return isUnlabelledText && !isAscii(content) && isUtf8(content) ? `${type}; charset=utf-8` : type
}

/** The type by name, unless the source says the same one, then with its parameters. */
function mergedType(named: string | null, said: string | null): string | null {
  if (named === null) return said
  if (said === null) return named
  return said.split(';', 1)[0]?.trim().toLowerCase() === named ? said : named
}

async function readFileUpTo(path: string, maxBytes: number, given: string): Promise<Buffer> {
  const file = await open(path).catch((error: unknown) => {
    throw failed(given, messageOf(error), error)
  })
  try {
    const { size } = await file.stat()
    if (size > maxBytes) throw failed(given, `it is larger than the ${maxBytes} bytes left`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

function filenameProblem(filename: string): string | null {
  if (/[/\\]/.test(filename)) return `${quote(filename)} has a path separator; give the bare name`
  if (/[\x00-\x1f\x7f-\x9f]/.test(filename)) return `${quote(filename)} has a control character`
  if (/\p{Surrogate}/u.test(filename)) return `${quote(filename)} has half of a surrogate pair`
  return filename === '.' || filename === '..' ? `${quote(filename)} is not a file name` : null
}

function contentTypeProblem(type: string | undefined): string | null {
  if (type === undefined) return null
  if (!isContentType(type)) return `must be a content type such as "application/pdf", not ${quote(type)}`
  if (!isMultipart(type)) return null
  return `must not be a multipart type, because an attachment has no parts: ${quote(type)}`
}

// The length first: the form takes a stack frame for each parameter, and the type of a `data:` URI may be as long as the
// request.
const isContentType = (text: string): boolean =>
  text.length <= maxContentTypeLength && contentTypeForm.test(text)

const contentTypeForm = /^[\w.+-]+\/[\w.+-]+(?:[ \t]*;[ \t]*[\w-]+=(?:[\w.:+-]+|"[\w .:+-]*"))*$/

// Readers would look for parts in its bytes.
const isMultipart = (contentType: string): boolean => /^multipart\//i.test(contentType)

function usable(contentType: string | null): string | null {
  return contentType !== null && isContentType(contentType) && !isMultipart(contentType) ? contentType : null
}

function failed(path: string, reason: string, cause?: unknown): LocalpostError {
  const message = `Attachment ${quote(path)} cannot be loaded: ${reason}.`
  return new LocalpostError('attachment_failed', message, { cause })
}
