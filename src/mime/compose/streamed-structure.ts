import { withoutEnding } from '../../core/text.ts'
import { readParameters } from '../headers/parameters.ts'

/**
 * Follows which lines of a message belong to a header, while the message is read line by line. The header of a part begins
 * after a boundary that an earlier header declares, or at the beginning of an attached message.
 *
 * @see RFC 2046 section 5
 */
export class StreamedStructure {
  /** Whether the next line belongs to a header. */
  isHeader: boolean = true
  /** Whether a part has begun: the next header is then that of a part. */
  isPart: boolean = false
  /** The boundaries so far, each with the type of a part that names none. */
  readonly #boundaries = new Map<string, string>()
  #defaultType = ''
  #contentType = ''
  /** Whether folded lines continue the Content-Type. */
  #isContentType = false

  get hasParts(): boolean {
    return this.#boundaries.size > 0
  }

  /** Takes a line of a header, or one that begins like a boundary. */
  take(line: Buffer): void {
    const text = line.toString('latin1', 0, maxFieldChars).replace(/\r?\n$/, '')
    const mark = text.startsWith('--') ? withoutEnding(text.slice(2), ' \t') : ''
    const type = this.#boundaries.get(mark)
    if (type !== undefined) this.#begin(type)
    else if (mark.endsWith('--') && this.#boundaries.has(mark.slice(0, -2))) this.isHeader = false
    else if (this.isHeader && text === '') this.#endHeader()
    else if (this.isHeader) this.#takeField(text)
  }

  #begin(defaultType: string): void {
    this.isHeader = true
    this.isPart = true
    this.#defaultType = defaultType
    this.#contentType = ''
    this.#isContentType = false
  }

  #endHeader(): void {
    const { value, parameters } = readParameters(this.#contentType || this.#defaultType)
    const type = value.toLowerCase()
    const boundary = parameters.get('boundary')
    if (type.startsWith('multipart/') && boundary !== undefined && this.#boundaries.size < maxBoundaries)
      this.#boundaries.set(boundary, type === 'multipart/digest' ? 'message/rfc822' : '')
    this.isHeader = false
    if (type === 'message/rfc822' || type === 'message/global') this.#begin('')
  }

  #takeField(text: string): void {
    if (/^[ \t]/.test(text)) {
      if (this.#isContentType && this.#contentType.length < maxFieldChars) this.#contentType += text
      return
    }
    const [, value] = /^content-type[ \t]*:(.*)$/is.exec(text) ?? []
    this.#isContentType = value !== undefined && this.#contentType === ''
    if (this.#isContentType) this.#contentType = value ?? ''
  }
}

const maxFieldChars = 16 * 1024
/** As many as parsing allows, nested or beside each other. */
const maxBoundaries = 1000
