import { cutText } from '../core/text.ts'
import { parseDataUri } from './data-uri.ts'
import type { AttachmentReference } from './types.ts'

/** A stored reference. Its `data:` URI may be decoded already; its path is then cut. */
export interface ReadReference extends AttachmentReference {
  /** Of a part that the HTML body shows, without angle brackets. */
  content_id?: string
  data?: ReturnType<typeof parseDataUri>
}

/** Jobs of the worker thread. Stored references can be long, because they contain their `data:` URIs. */
export const attachmentJobs = {
  references: (json: Buffer): ReadReference[] =>
    (JSON.parse(json.toString()) as AttachmentReference[]).map((reference) =>
      isDataUri(reference.path)
        ? { ...reference, path: cutText(reference.path, 100), data: parseDataUri(reference.path) }
        : reference,
    ),
  /** Whether an attachment has to be downloaded. Stored JSON has no space after a colon. */
  hasUrl: (json: Buffer): boolean => /"path":"https?:/i.test(json.toString('latin1')),
}

/** Whether a path is a `data:` URI. */
export const isDataUri = (path: string): boolean => /^data:/i.test(path)

/** Whether a path is an http(s) URL. */
export const isUrl = (path: string): boolean => /^https?:/i.test(path)
