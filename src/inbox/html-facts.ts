import { scanHtml } from '../mime/scan-html.ts'

/** What the checks want to know of a mail's HTML. */
export interface HtmlFacts {
  images: HtmlImage[]
  /** Links as they are written, trimmed; also those that lead nowhere. */
  links: { href: string; text: string }[]
}

export interface HtmlImage {
  /** `""` without one. */
  src: string
  /** `""` is the word for decoration; null is none at all. */
  alt: string | null
  /** Whether it is there to be fetched, not to be seen. */
  isPixel: boolean
}

/**
 * Reads images and links of hostile HTML in linear time: at most 1 MB of it, and 10,000 of each. In steps, so that the
 * event loop may turn between them.
 */
export function* htmlFactSteps(html: string): Generator<undefined, HtmlFacts> {
  const images: HtmlImage[] = []
  const links: { href: string; text: string }[] = []
  let open: { href: string; text: string } | null = null
  yield* scanHtml(html, ['href', 'alt', 'src', 'width', 'height'], {
    onOpenTag(name, { href, alt, src, width, height }) {
      if (name === 'img' && images.length < maxEach) {
        const isPixel = [width, height].every((length) => /^\s*[01](?:px)?\s*$/.test(length ?? ''))
        images.push({ src: (src ?? '').trim(), alt: alt ?? null, isPixel })
        if (open && alt) open.text += alt
      }
      if (name !== 'a' || href === undefined || links.length >= maxEach) return
      open = { href: href.trim(), text: '' }
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
