import { describe, expect, it } from 'vitest'
import { extractCodes } from '../../src/reading/codes.ts'
import { withInlineImages, type InlineImage } from '../../src/reading/inline-images.ts'
import { extractLinks } from '../../src/reading/links.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { expectLinearCost } from '../support/linear-cost.ts'
import { visibleText } from '../../src/mime/html/visible-text.ts'
import { workedMs } from '../support/own-time.ts'

const megabyte = 1_000_000
const filled = (piece: string): string => piece.repeat(Math.ceil(megabyte / piece.length)).slice(0, megabyte)

/** The limit of the processor time of each of these; without the bounds in the code it is several seconds to minutes. */
const limitMs = 2000

function expectQuick(run: () => void): void {
  const before = workedMs()
  run()
  expect(workedMs() - before).toBeLessThan(limitMs)
}

const image = (id: string, size_bytes = 3): InlineImage => ({
  content_type: 'image/png',
  size_bytes,
  content_id: id,
  content: Buffer.from('png'),
})

describe('a megabyte of hostile HTML takes linear time', () => {
  it.each([
    ['open elements that close each other', '<p><div>'.repeat(110_000)],
    ['end tags of what is not open', '<b>'.repeat(125_000) + '</i>'.repeat(150_000)],
    ['links within links', filled('<a href="https://a.test">')],
    ['nested tables', filled('<table><tr><td>')],
    ['nested hidden elements', filled('<template>')],
    ['tags without an end', filled('<a href="&')],
    ['comments without an end', filled('<!--')],
    ['styles without an end', filled('<style><')],
    ['entities', filled('&amp')],
    ['nothing but openings', filled('<')],
  ])('of %s', (_, html) => {
    expectLinearCost((length) => {
      extractLinks(html.slice(0, length), '')
      visibleText(html.slice(0, length))
    }, megabyte / 4)
  })
})

describe('a megabyte of hostile text takes linear time', () => {
  it.each([
    ['closing brackets', `http://${')'.repeat(1990)} `],
    ['paired brackets', `http://${'()'.repeat(990)} `],
    ['points', `http://a${'.'.repeat(1990)} `],
    ['beginnings', 'http://'],
  ])('in links: %s', (_, piece) => {
    expectQuick(() => extractLinks('', filled(piece)))
  })

  it.each([
    '1',
    '1 ',
    '12 ',
    '2000; ',
    ': 2000; ',
    'A',
    'A-',
    'AB1C-',
    '(12) ',
    '+1',
    '+1(',
    ' ',
    'code ',
    '\n',
  ])('in codes: %j', (piece) => {
    expectQuick(() => extractCodes(`code ${filled(piece)}`))
  })

  it('in codes: many different ones', () => {
    const numbers = Array.from({ length: 90_000 }, (_, i) => 10_000 + i).join('; ')
    expectQuick(() => extractCodes(`code ${numbers}`))
  })

  it.each(['=' + ' '.repeat(40_000), '= ', '="\' ', '=cid:', '('])('in references to images: %#', (piece) => {
    expectQuick(() => withInlineImages(filled(piece), [image('a')]))
  })

  it.each(['1', 'A', 'a:', ' ', '"', '" ', 'a ', '('])('in queries: %j', (piece) => {
    expectQuick(() => {
      try {
        parseMailQuery(filled(piece), 0)
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_query' })
      }
    })
  })
})

describe('inlined images', () => {
  const dataUrl = 'data:image/png;base64,cG5n'

  it('replace references, quoted or not, and change no other text', () => {
    const html = `<img src="cid:a"><img src = 'cid:a'><img src=cid:a><p style="background:url( cid:a )">cid:a`
    expect(withInlineImages(html, [image('a')])).toBe(
      `<img src="${dataUrl}"><img src = '${dataUrl}'><img src=${dataUrl}><p style="background:url( ${dataUrl} )">cid:a`,
    )
  })

  it('are limited to 20 MB in all: an image above the limit stays a reference, a smaller one is still embedded', () => {
    const images = [image('large', 12_000_000), image('rest', 8_000_000), image('one', 1)]
    const html = '<img src="cid:large"><img src="cid:large"><img src="cid:rest"><img src="cid:one">'
    expect(withInlineImages(html, images)).toBe(
      `<img src="${dataUrl}"><img src="cid:large"><img src="${dataUrl}"><img src="cid:one">`,
    )
  })
})

describe('a query', () => {
  it('has at most 100 parts', () => {
    expect(() => parseMailQuery('a '.repeat(100), 0)).not.toThrow()
    expect(() => parseMailQuery('a '.repeat(101), 0)).toThrow(/101 parts/)
  })

  it('has at most 20,000 characters', () => {
    expect(() => parseMailQuery('a'.repeat(20_000), 0)).not.toThrow()
    expect(() => parseMailQuery('a'.repeat(20_001), 0)).toThrow(/20001 characters; it may have up to 20000/)
  })

  it('has at most 500 ids', () => {
    const ids = Array.from({ length: 501 }, (_, i) => `em_${i}`)
    expect(() => parseMailQuery(`id:${ids.slice(1).join(',')}`, 0)).not.toThrow()
    expect(() => parseMailQuery(`-id:${ids.join(',')}`, 0)).toThrow(/id: has 501 ids; it takes up to 500/)
  })
})
