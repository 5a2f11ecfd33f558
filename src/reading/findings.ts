import { visibleText } from '../mime/html/visible-text.ts'
import { extractCodes, maxCharsForCodes } from './codes.ts'
import { extractLinks, maxCharsForLinks } from './links.ts'
import type { Link } from './types.ts'

/** What is found in the bodies of a mail. */
export interface Findings {
  links: Link[]
  codes: string[]
  /** Says which part is searched if the bodies are too long to be searched whole; null if they are not. */
  clipped: string | null
}

/** Looks for links and codes in the beginning of the bodies. */
export function readFindings(mail: { subject: string; html: string; text: string }): Findings {
  const { subject, html, text } = mail
  const links = extractLinks(html, text)
  const searched = [subject, text, visibleText(html)].join('\n\n\n')
  const codes = extractCodes(searched)
  const areLinksClipped = Math.max(html.length, text.length) > maxCharsForLinks
  // The visible text is known only for the beginning of the HTML.
  const areCodesClipped = searched.length > maxCharsForCodes || html.length > maxCharsForLinks
  if (!areLinksClipped && !areCodesClipped) return { links, codes, clipped: null }
  const forLinks = `the first ${grouped(maxCharsForLinks)} characters of each body for links`
  const forCodes = `the first ${grouped(maxCharsForCodes)} characters of the text for codes`
  const clipped = `${onlySearched} ${areLinksClipped ? `${forLinks}, and ` : ''}${forCodes}.`
  return { links, codes, clipped }
}

/** How {@link Findings.clipped} begins. `isClippedFirst` asks for these words. */
const onlySearched = 'Only the beginning is searched:'

/**
 * Whether the problem of a mail begins with {@link Findings.clipped}: then its message was read without problems. Those of
 * its record may follow.
 */
export function isClippedFirst(problem: string): boolean {
  return problem.startsWith(onlySearched)
}

/** A number with its digits in groups of three. */
function grouped(value: number): string {
  return value.toLocaleString('en-GB')
}
