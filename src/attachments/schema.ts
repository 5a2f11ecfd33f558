import { z } from 'zod'
import type { AttachmentReference } from './types.ts'

/** The most characters of a content type with its parameters. */
export const maxContentTypeLength = 1000

/** The members of an {@link AttachmentReference}. */
export const attachmentMembers: {
  readonly [Name in keyof AttachmentReference]-?: z.ZodType<AttachmentReference[Name]>
} = {
  filename: z.string().min(1).max(255).describe('Without path separators or control characters'),
  path: z.string().min(1).describe('An http(s) URL, a `data:` URI, or a file under `attachments.root`'),
  content_type: z.string().max(maxContentTypeLength).optional().describe('Default: by the file name'),
}

/** An attachment of a send request: where its bytes are. */
export const attachmentReferenceSchema: z.ZodType<AttachmentReference> = z.object(attachmentMembers)
