// The parts of two untyped packages that this folder uses.

declare module 'mailparser' {
  import type { Readable, Transform } from 'node:stream'

  export interface MailParserOptions {
    skipHtmlToText?: boolean
    skipTextToHtml?: boolean
    skipTextLinks?: boolean
    skipImageLinks?: boolean
    keepDeliveryStatus?: boolean
    ignoreEmbedded?: boolean
    checksumAlgo?: string
    maxHeadSize?: number
    maxChildNodes?: number
  }

  /** One MIME part, as the parser keeps it. */
  export interface MailParserNode {
    contentType: string | false
    textContent?: string
    children: MailParserNode[]
  }

  export interface MailParserAttachment {
    type: 'attachment'
    content: Readable
    contentType?: string | false
    contentDisposition?: string
    filename?: string
    cid?: string
    related?: boolean
    headers: Map<string, unknown>
    /** Hex digest, known once `content` has ended. */
    checksum?: string
    release: () => void
  }

  export interface MailParserText {
    type: 'text'
  }

  export class MailParser extends Transform {
    constructor(options?: MailParserOptions)
    /** The root part; false before the first header block was read. */
    tree: MailParserNode | false
    /** Called once at the end; what it answers is the last thing read from the stream. */
    getTextContent(): MailParserText
  }
}

declare module 'libmime' {
  const libmime: { decodeWords(text: string): string }
  export default libmime
}

declare module '@zone-eu/mailsplit'
declare module 'encoding-japanese'
declare module 'he'
declare module 'html-to-text'
declare module 'linkify-it'
declare module 'tlds'
