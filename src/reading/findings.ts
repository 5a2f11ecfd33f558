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
  const forLinks = `the first ${grouped(searchedForLinks)} characters of each body for links`
  const forCodes = `the first ${grouped(searchedForCodes)} characters of the text for codes`
  const clipped = `${onlySearched} ${areLinksClipped ? `${forLinks}, and ` : ''}${forCodes}.`
  return { links, codes, clipped }
}

/** How {@link Findings.clipped} begins. */
const onlySearched = 'Only the beginning is searched:'

/** Whether {@link Findings.clipped} is the first problem of a mail. The problems of the message itself would stand before it. */
export function isClippedFirst(problem: string): boolean {
  return problem.startsWith(onlySearched)
}

/** A number with its digits in groups of three. */
function grouped(value: number): string {
  return value.toLocaleString('en-GB')
}
