import type { CheckRow } from './subject.ts'

/** Checks of what readers with assistive technology get. */
export const accessibilityChecks: readonly CheckRow[] = [
  {
    id: 'image-alternatives',
    title: 'Images have an alternative text',
    group: 'Accessibility',
    severity: 'warning',
    about: 'Screen readers read the alternative text, and clients that block images show it.',
    fix: 'Add an alt attribute that says what the image shows; alt="" for decoration.',
    link: 'https://www.w3.org/WAI/tutorials/images/',
    run({ html: { images } }) {
      const seen = images.filter(({ isPixel }) => !isPixel)
      if (seen.length === 0) return null
      return seen
        .filter(({ alt }) => alt === null)
        .map(({ offset }) => ({
          message: 'The image has no alternative text.',
          place: { html: offset },
        }))
    },
  },
]
