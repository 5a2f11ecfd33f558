// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** An attachment of a send request: where its bytes are. */
export interface AttachmentReference {
  /** Without path separators or control characters. */
  filename: string
  /** An http(s) URL, a `data:` URI, or a file under `attachments.root`. */
  path: string
  /** Default: by the file name. */
  content_type?: string
}
