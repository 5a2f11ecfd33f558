import { scanHtml } from '../mime/scan-html.ts'

/** What the checks read in a mail's HTML. Offsets are those of the names of elements. */
export interface HtmlFacts {
  images: HtmlImage[]
  /** Links as they are written, trimmed; also those that lead nowhere. */
  links: HtmlLink[]
}

/** A link of the HTML, or of the text of a mail without HTML. */
export interface HtmlLink {
  href: string
  /** Its text with the alternative texts of its images. */
  text: string
  /** Null in the text. */
  offset: number | null
}

/** An image of the HTML. */
export interface HtmlImage {
  /** `""` without one. */
  src: string
  /** `""` marks decoration; null is none at all. */
  alt: string | null
  /** Whether it is there to be fetched, not to be seen. */
  isPixel: boolean
  offset: number
}

/**
 * Reads images and links of hostile HTML in linear time: at most 1 MB of it, and 10,000 of each. In steps, so that the
 * event loop may turn between them.
 */
export function* htmlFactSteps(html: string): Generator<undefined, HtmlFacts> {
  const images: HtmlImage[] = []
  const links: HtmlLink[] = []
  let open: HtmlLink | null = null
  yield* scanHtml(html, ['href', 'alt', 'src', 'width', 'height'], {
    onOpenTag(name, { href, alt, src, width, height }, offset) {
      if (name === 'img' && images.length < maxEach) {
        const isPixel = [width, height].every((length) => /^\s*[01](?:px)?\s*$/.test(length ?? ''))
        images.push({ src: (src ?? '').trim(), alt: alt ?? null, isPixel, offset })
        if (open && alt) open.text += alt
      }
      if (name !== 'a' || href === undefined || links.length >= maxEach) return
      open = { href: href.trim(), text: '', offset }
      links.push(open)
    },
    onText(piece) {
      if (open) open.text += piece
    },
    onCloseTag(name) {
      if (name === 'a') open = null
    },
  })
  return { images, links }
}

const maxEach = 10_000
