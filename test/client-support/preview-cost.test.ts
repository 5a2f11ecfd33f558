import { expect, it } from 'vitest'
import { imageFeatures } from '../../src/client-support/html-features.ts'
import { previewHtml } from '../../src/client-support/preview.ts'
import { expectLinearCostOf } from '../support/linear-cost.ts'

// Gmail shows the first 102 KiB.
const rest = 'x'.repeat(110_000)

it('the preview of a clipped mail with many replacement characters takes linear time', async () => {
  const preview = async (size: number): Promise<unknown> =>
    previewHtml({ html: `${'\ufffd'.repeat(size)}${rest}`, attachments: [] }, 'gmail/desktop-webmail')
  await expectLinearCostOf(preview, 8500)
})

it('images that are no parts are not looked for among the parts', () => {
  const part = {
    content_type: 'image/png',
    get content_id(): string {
      throw new Error('looked for')
    },
  }
  expect(imageFeatures('https://acme.test/a.webp', [part])).toEqual(['image-webp'])
})

it('a clipped mail does not end within a character', () => {
  const html = `${'é'.repeat(52_223)}xéx`
  const { html: shown } = previewHtml({ html, attachments: [] }, 'gmail/desktop-webmail')
  expect(shown).toMatch(/éx<p>\[Message clipped\]<\/p>$/)
})
