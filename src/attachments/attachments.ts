import type { AttachmentReference } from './types.ts'
import { isAscii, isUtf8 } from 'node:buffer'
import { open, realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { LocalpostError, quote, type FieldError } from '../core/errors.ts'
import { asBuffer } from '../core/own-buffers.ts'
import { cutText } from '../core/text.ts'
import { mediaTypeByName } from '../mime/media-types.ts'
import { parseDataUri } from './data-uri.ts'
import { maxContentType } from './schema.ts'
import { fetchAttachment, type Fetched, type FetchLimits } from './fetch.ts'

/** Where attachments may come from. */
export interface AttachmentSources extends Omit<FetchLimits, 'maxBytes'> {
  /** Folder whose files may be attached; null: none. */
  root: string | null
}

/** A stored reference. Its `data:` URI may be decoded already; its path is then cut. */
export interface ReadReference extends AttachmentReference {
  /** Of a part that the HTML body shows, without angle brackets. */
  content_id?: string
  data?: ReturnType<typeof parseDataUri>
}

/** Reading stored references as work of the thread: they have their `data:` URIs in them. */
export const attachmentJobs = {
  references: (json: Buffer): ReadReference[] =>
    (JSON.parse(json.toString()) as AttachmentReference[]).map((reference) =>
      isDataUri(reference.path)
        ? { ...reference, path: cutText(reference.path, 100), data: parseDataUri(reference.path) }
        : reference,
    ),
  /** Whether an attachment has to be downloaded. */
  hasUrl: (json: Buffer): boolean => /"path":"https?:/i.test(json.toString('latin1')),
}

/** An attachment with its bytes. */
export interface LoadedAttachment {
  filename: string
  content_type: string | null
  content_id: string | null
  content: Buffer
}

/** Largest message after encoding, in bytes. */
export const maxMessageBytes = 40_000_000

/** How many bytes a part of this size takes in base64 with line breaks. */
export function encodedSize(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4
  return characters + Math.ceil(characters / 76) * 2
}

/**
 * Checks the attachments of a send request as far as this is possible without fetching.
 *
 * @param errors  Receives one entry per wrong attachment.
 * @returns The encoded size in bytes of those whose size is known.
 */
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
    if (reference.content_type !== undefined && !isContentType(reference.content_type)) {
      const message = `must be a content type such as "application/pdf", not ${quote(reference.content_type)}`
      errors.push({ field: `${field}.content_type`, message })
    } else if (reference.content_type !== undefined && isMultipart(reference.content_type)) {
      const message = `must not be a multipart type, because an attachment has no parts: ${quote(reference.content_type)}`
      errors.push({ field: `${field}.content_type`, message })
    }
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
  const loaded = await load(source, reference.path, sources, maxBytes)
  const content_type = reference.content_type ?? (await typeOf(reference.filename, loaded))
  const { filename, content_id = null } = reference
  return { filename, content_type, content_id, content: loaded.content }
}

async function load(
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
  const said = usable(content_type)
  const named = await mediaTypeByName(filename)
  const type = named !== null && essenceOf(said) !== named ? named : said
  const isUnlabelledText = type !== null && /^text\//i.test(type) && !/;\s*charset\s*=/i.test(type)
  return isUnlabelledText && !isAscii(content) && isUtf8(content) ? `${type}; charset=utf-8` : type
}

function essenceOf(type: string | null): string | null {
  return type?.split(';', 1)[0]?.trim().toLowerCase() ?? null
}

type Source =
  | { kind: 'url'; url: string }
  | { kind: 'data'; content: Buffer; content_type: string }
  | { kind: 'file'; path: string; size: number }
  | { problem: string }

const isDataUri = (path: string): boolean => /^data:/i.test(path)

async function locate({ path, data }: ReadReference, root: string | null): Promise<Source> {
  if (data || isDataUri(path)) return data ?? parseDataUri(path)
  if (/^https?:/i.test(path)) return checkUrl(path)
  if (/^[a-z][a-z0-9+.-]+:/i.test(path)) {
    return { problem: `${quote(path)} is of a kind that is not taken: use an http(s) URL or a data: URI` }
  }
  return root === null
    ? {
        problem: `${quote(path)} is no http(s) URL and no data: URI; files are taken only under \`attachments.root\``,
      }
    : locateFile(path, root)
}

function checkUrl(path: string): Source {
  // The URL parser silently removes line breaks, so the host could differ from the one that is written.
  if (/[\x00-\x1f\x7f]/.test(path)) return { problem: `${quote(path)} has a control character` }
  const url = URL.canParse(path) ? new URL(path) : null
  if (!url) return { problem: `${quote(path)} is not a URL that can be read` }
  if (url.username !== '' || url.password !== '') {
    return {
      problem: `${quote(`${url.protocol}//…@${url.host}`)} has credentials in it, which attachment URLs may not`,
    }
  }
  return { kind: 'url', url: url.href }
}

// After realpath, so that neither `..` nor a symbolic link can leave the folder.
async function locateFile(path: string, root: string): Promise<Source> {
  const outside = { problem: `${quote(path)} is not a file under \`attachments.root\`` }
  if (path.includes('\0')) return outside
  try {
    const base = await realpath(root)
    const real = await realpath(resolve(base, path))
    const inside = relative(base, real)
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
      return outside
    const facts = await stat(real)
    return facts.isFile() ? { kind: 'file', path: real, size: facts.size } : outside
  } catch {
    // Missing and forbidden look the same, so that the answer reveals nothing about other files.
    return outside
  }
}

async function readFileUpTo(path: string, maxBytes: number, given: string): Promise<Buffer> {
  const file = await open(path).catch((error: unknown) => {
    throw failed(given, error instanceof Error ? error.message : String(error), error)
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

/** The form takes a stack frame for each parameter, and the type of a `data:` URI may be as long as the request. */
const isContentType = (text: string): boolean => text.length <= maxContentType && contentTypeForm.test(text)

const contentTypeForm = /^[\w.+-]+\/[\w.+-]+(?:[ \t]*;[ \t]*[\w-]+=(?:[\w.:+-]+|"[\w .:+-]*"))*$/

// Readers would look for parts in its bytes.
const isMultipart = (contentType: string): boolean => /^multipart\//i.test(contentType)

function usable(contentType: string | null): string | null {
  return contentType !== null && isContentType(contentType) && !isMultipart(contentType) ? contentType : null
}

function failed(path: string, reason: string, cause?: unknown): LocalpostError {
  return new LocalpostError('attachment_failed', `Attachment ${quote(path)} cannot be loaded: ${reason}.`, {
    cause,
  })
}
