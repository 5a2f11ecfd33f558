import { visibleText } from '../mime/html/visible-text.ts'
import { extractCodes, searchedForCodes } from './codes.ts'
import { extractLinks, searchedForLinks } from './links.ts'
import type { Link } from './types.ts'

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
  const searched = [subject, text, visibleText(html)].join('\n\n\n')
  const codes = extractCodes(searched)
  const areLinksClipped = Math.max(html.length, text.length) > searchedForLinks
  // The visible text is known only for the beginning of the HTML.
  const areCodesClipped = searched.length > searchedForCodes || html.length > searchedForLinks
  if (!areLinksClipped && !areCodesClipped) return { links, codes, clipped: null }
  const of = `the first ${number(searchedForLinks)} characters of each body`
  const ofText = `the first ${number(searchedForCodes)} characters of the text`
  const clipped = areLinksClipped
    ? `${onlySearched} ${of} for links, and ${ofText} for codes.`
    : `${onlySearched} ${ofText} for codes.`
  return { links, codes, clipped }
}

const number = (value: number): string => value.toLocaleString('en-GB')
