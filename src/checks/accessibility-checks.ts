import { foldSpace } from '../core/text.ts'
import { contrastOf } from './colors.ts'
import type { CheckRow } from './check.ts'

/** Checks for readers who use assistive technology. */
export const accessibilityChecks: readonly CheckRow[] = [
  {
    id: 'html-lang',
    title: 'The HTML names its language',
    headline: 'The HTML names no language',
    severity: 'warning',
    about: 'Screen readers choose the voice by the language, and clients use it to offer a translation.',
    fix: 'Add a lang attribute to the html element, and to the outermost element of the body too.',
    link: 'https://www.w3.org/WAI/WCAG22/Understanding/language-of-page',
    run({ mail, html: { lang } }) {
      if (mail.html === '') return null
      return lang === null ? [{ message: 'No lang attribute comes before the first text.' }] : []
    },
  },
  {
    id: 'html-title',
    title: 'The HTML has a title',
    headline: 'The HTML has no title',
    severity: 'note',
    about: 'Screen readers announce the title where a mail is shown as a web page.',
    fix: 'Add a title element to the head; the subject is a good title.',
    link: 'https://www.w3.org/WAI/WCAG22/Understanding/page-titled',
    run({ mail, html: { title } }) {
      if (mail.html === '') return null
      return (title ?? '').trim() === '' ? [{ message: 'The HTML has no title.' }] : []
    },
  },
  {
    id: 'image-alternatives',
    title: 'Images have a meaningful alternative text',
    headline: 'Images without a meaningful alternative text',
    severity: 'warning',
    about: 'Screen readers read the alternative text, and clients that block images show it.',
    fix: 'Add an alt attribute that says what the image shows; alt="" for decoration.',
    link: 'https://www.w3.org/WAI/tutorials/images/',
    run({ html: { images } }) {
      const seen = images.filter(({ isPixel }) => !isPixel)
      if (seen.length === 0) return null
      return seen.flatMap(({ alt, offset }) => {
        const place = { html: offset }
        if (alt === null) return [{ message: 'The image has no alternative text.', place }]
        const written = alt.trim().slice(0, 100)
        if (!meaninglessAlt.test(written)) return []
        const message = `The alternative text ${inQuotes(written)} says nothing about the image.`
        return [{ message, place }]
      })
    },
  },
  {
    id: 'layout-tables',
    title: 'Tables for layout are marked as such',
    headline: 'Tables for layout not marked as such',
    severity: 'warning',
    about:
      'Screen readers announce rows and columns of every table that has no role. Tables with header cells show data.',
    fix: 'Add role="presentation" to tables for layout, and th cells to tables of data.',
    link: 'https://www.w3.org/WAI/tutorials/tables/tips/',
    run({ html: { tables } }) {
      if (tables.length === 0) return null
      return tables
        .filter(({ role, hasHeader }) => role === null && !hasHeader)
        .map(({ offset }) => ({
          message: 'The table has neither header cells nor role="presentation".',
          place: { html: offset },
        }))
    },
  },
  {
    id: 'heading-order',
    title: 'Headings do not skip a level',
    headline: 'Headings skip a level',
    severity: 'warning',
    about: 'Screen readers list the headings as a table of contents, in which a missing level is confusing.',
    fix: 'Choose headings by their level, and set their size by CSS.',
    link: 'https://www.w3.org/WAI/tutorials/page-structure/headings/',
    run({ html: { headings } }) {
      if (headings.length === 0) return null
      return headings.flatMap(({ level, offset }, at) => {
        const before = headings[at - 1]?.level
        if (before === undefined || level <= before + 1) return []
        return [{ message: `The heading h${level} follows h${before}.`, place: { html: offset } }]
      })
    },
  },
  {
    id: 'link-texts',
    title: 'Link texts say where they lead',
    headline: 'Link texts do not say where they lead',
    severity: 'warning',
    about:
      'Screen readers list the links by their texts, where an empty text or "click here" has no meaning.',
    fix: 'Name the page in the text of the link; give an image in a link an alternative text.',
    link: 'https://www.w3.org/WAI/WCAG22/Understanding/link-purpose-in-context',
    run({ html: { links } }) {
      if (links.length === 0) return null
      return links.flatMap(({ text, offset }) => {
        if (offset === null) return []
        const written = foldSpace(text.slice(0, 200))
        const place = { html: offset }
        if (written === '') return [{ message: 'The link has no text.', place }]
        if (!meaninglessLink.test(written)) return []
        return [{ message: `The link text ${inQuotes(written)} does not say where it leads.`, place }]
      })
    },
  },
  {
    id: 'contrast',
    title: 'Texts have enough contrast',
    headline: 'Texts with too little contrast',
    severity: 'warning',
    about:
      'WCAG asks for a contrast of 4.5, and 3 for large text. It is computed from style sheets, inline styles ' +
      'and attributes, outside of dark mode and small screens. A text on an image or a gradient is left out.',
    fix: 'Choose a darker or lighter colour.',
    link: 'https://www.w3.org/WAI/WCAG22/Understanding/contrast-minimum',
    run({ html: { texts } }) {
      if (texts.length === 0) return null
      return texts.flatMap(({ style: { color, background, fontSize, isBold }, text, offset }) => {
        if (color === null || background === null) return []
        const isLarge = fontSize !== null && fontSize >= (isBold ? 18.66 : 24)
        const contrast = contrastOf(color, background)
        const wanted = isLarge ? 3 : 4.5
        if (contrast >= wanted) return []
        // Rounded down, so that 4.49 is not shown as 4.5.
        const shown = Math.floor(contrast * 100) / 100
        const message = `The text ${inQuotes(text)} has a contrast of ${shown}, and needs ${wanted}.`
        return [{ message, place: { html: offset, snippet: text } }]
      })
    },
  },
  {
    id: 'font-size',
    title: 'Texts are large enough to read',
    headline: 'Texts too small to read',
    severity: 'warning',
    about:
      'Text below 9 pixels is a warning, below 12 pixels a note. Sizes come from style sheets and inline styles.',
    fix: 'Use at least 14 pixels for text, and 12 for small print.',
    link: 'https://www.w3.org/WAI/WCAG22/Understanding/resize-text',
    run({ html: { texts } }) {
      if (texts.length === 0) return null
      return texts.flatMap(({ style: { fontSize }, text, offset }) => {
        // One pixel hides the preview text before the content.
        if (fontSize === null || fontSize >= 12 || fontSize <= 1) return []
        const message = `The text ${inQuotes(text)} has ${Math.round(fontSize * 10) / 10} pixels.`
        const place = { html: offset, snippet: text }
        return [{ severity: fontSize < 9 ? 'warning' : 'note', message, place }]
      })
    },
  },
]

const inQuotes = (text: string): string => JSON.stringify(foldSpace(text))

const meaninglessAlt =
  /^(?:image|img|photo|picture|graphic|icon|spacer|untitled|alt)$|^\S+\.(?:png|jpe?g|gif|webp|svg|avif)$/i
const meaninglessLink =
  /^(?:click|click here|here|this|link|this link|more|read more|learn more|go|view|details|hier|mehr|ici)[.!…»→>\s]*$/i
