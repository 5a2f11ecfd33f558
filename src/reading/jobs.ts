import { readBodies } from '../mime/bodies.ts'
import {
  parseFacts,
  parseMessage,
  parseNames,
  type MessageNames,
  type ParsedFacts,
  type ParsedMessage,
} from '../mime/parse.ts'
import type { PlacedPart } from '../mime/part.ts'
import { readStructure, type MimeStructure } from '../mime/structure.ts'
import { visibleText } from '../mime/html/visible-text.ts'
import { extractCodes, searchedForCodes } from './codes.ts'
import { extractLinks, searchedForLinks } from './links.ts'
import { readNested, type NestedAnswer } from './nested.ts'
import { readPage } from './page.ts'
import type { Link } from './types.ts'

/** The kinds of work on the bytes of a message. */
export interface Readings {
  /** Everything except its bodies, with the checksums of attachments. */
  facts: ParsedFacts
  /** Everything, with the links and codes in its bodies. */
  mail: ParsedMessage & Findings
  structure: MimeStructure
  bodies: { text: string; html: string }
  /** The header fields, and the names of attachments, for searches by them. */
  fields: MessageNames
  /** The beginning of the bodies, for lists and searches. */
  beginning: { text: string; html: string; attachment_count: number }
  /** See {@link readPage}. */
  page: Uint8Array
  /** See {@link readNested}. */
  nested: NestedAnswer
}

/** The input of the work: the bytes of a message, and more for `page` and `nested`. */
export type JobInputs = { [Kind in Exclude<keyof Readings, 'page' | 'nested'>]: readonly [bytes: Buffer] } & {
  page: Readonly<Parameters<typeof readPage>>
  nested: Readonly<Parameters<typeof readNested>>
}

/** The findings in the bodies of a mail. */
export interface Findings {
  links: Link[]
  codes: string[]
  /** Says which part is searched if the bodies are too long to be searched whole; null if they are not. */
  clipped: string | null
}

/** How {@link Findings.clipped} begins. */
export const onlySearched: string = 'Only the beginning is searched:'

/** Looks for links and codes in the beginning of the bodies. */
export function readFindings({
  subject,
  html,
  text,
}: {
  subject: string
  html: string
  text: string
}): Findings {
  const links = extractLinks(html, text)
  const said = [subject, text, visibleText(html)].join('\n\n\n')
  const codes = extractCodes(said)
  const areLinksClipped = Math.max(html.length, text.length) > searchedForLinks
  // The visible text is known only for the beginning of the HTML.
  const areCodesClipped = said.length > searchedForCodes || html.length > searchedForLinks
  if (!areLinksClipped && !areCodesClipped) return { links, codes, clipped: null }
  const of = `the first ${number(searchedForLinks)} characters of each body`
  const ofText = `the first ${number(searchedForCodes)} characters of the text`
  const clipped = areLinksClipped
    ? `${onlySearched} ${of} for links, and ${ofText} for codes.`
    : `${onlySearched} ${ofText} for codes.`
  return { links, codes, clipped }
}

const number = (value: number): string => value.toLocaleString('en-GB')

/** The work on a message, in this thread. */
export const jobs: {
  readonly [Kind in keyof Readings]: (...inputs: JobInputs[Kind]) => Promise<Readings[Kind]>
} = {
  facts: async (bytes) => parseFacts(bytes),
  async mail(bytes) {
    const message = parseMessage(bytes)
    return { ...message, ...readFindings(message) }
  },
  structure: async (bytes) => readStructure(bytes),
  bodies: async (bytes) => readBodies(bytes, readStructure(bytes)),
  fields: async (bytes) => parseNames(bytes),
  async beginning(bytes) {
    const { text, html, attachments } = readStructure(bytes)
    const bodies = readBodies(bytes, { text: beginningOf(text), html: beginningOf(html) })
    return { ...bodies, attachment_count: attachments.length }
  },
  page: readPage,
  nested: readNested,
}

function beginningOf(part: PlacedPart | null): PlacedPart | null {
  return part && { ...part, end: Math.min(part.end, part.start + beginningBytes) }
}

/** Enough for 128 K characters of HTML, however they are encoded. */
const beginningBytes = 1024 * 1024
