import { gunzip } from 'node:zlib'
import { promisify } from 'node:util'
import { quote } from '../core/quote.ts'
import { type SvgAttributes, readSvg, type Svg } from './bimi-svg.ts'

/** The largest logo that receivers accept, in bytes, compressed or not. */
export const maxLogoBytes = 32_768

/**
 * The reasons why receivers do not show a BIMI logo, in sentences: SVG Tiny Portable/Secure is a profile without
 * scripts, animations, pictures and references to other files. A logo that is too large is only reported as such, and
 * not read. Entities are not expanded.
 *
 * @param bytes  An SVG, or an SVG compressed by gzip.
 * @see draft-svg-tiny-ps-abrotman
 */
export async function bimiLogoFaults(bytes: Uint8Array): Promise<string[]> {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? await unzipped(bytes) : bytes
  if (plain === null) return ['The logo is compressed, and cannot be decompressed.']
  if (Math.max(plain.length, bytes.length) > maxLogoBytes)
    return [`The logo has more than ${maxLogoBytes} bytes, which is the maximum that receivers accept.`]
  const text = new TextDecoder().decode(plain)
  const { root, elements, title, faults } = readSvg(text)
  if (root === null) return ['The logo is not an SVG: there is no svg element.']
  return [...rootFaults(root), ...titleFaults(title), ...elementFaults(elements), ...faults.slice(0, maxEach)]
}

/** At most one byte more than allowed; null if it is not gzip. */
async function unzipped(bytes: Uint8Array): Promise<Uint8Array | null> {
  try {
    return await unzip(bytes, { maxOutputLength: maxLogoBytes })
  } catch (error) {
    const isTooLong = error instanceof RangeError
    return isTooLong ? new Uint8Array(maxLogoBytes + 1) : null
  }
}

const unzip = promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip)

function rootFaults(root: SvgAttributes): string[] {
  const faults: string[] = []
  const expect = (name: string, expected: string): void => {
    const given = root.get(name)
    if (given !== expected)
      faults.push(
        `The svg element has ${given === undefined ? `no ${name}` : `${name}=${quote(given)}`}, and needs ${name}="${expected}".`,
      )
  }
  expect('xmlns', 'http://www.w3.org/2000/svg')
  expect('version', '1.2')
  expect('baseProfile', 'tiny-ps')
  for (const name of ['x', 'y'])
    if (root.has(name)) faults.push(`The svg element must not have the attribute ${name}.`)
  const size = logoSize(root)
  if (size === null) faults.push('The svg element has no viewBox of four numbers.')
  else if (size.width !== size.height)
    faults.push(`The logo is not a square: it is ${size.width} wide and ${size.height} high.`)
  return faults
}

function logoSize(root: SvgAttributes): { width: number; height: number } | null {
  const written = (root.get('viewBox') ?? '').trim()
  const box = written.split(/[\s,]+/, 5).map(Number)
  const [, , width = 0, height = 0] = box
  if (box.length !== 4 || box.some(Number.isNaN)) return null
  return width > 0 && height > 0 ? { width, height } : null
}

function titleFaults(title: string | null): string[] {
  if (title === null) return ['The logo has no title element; it must have one that names the company.']
  if (title.trim() === '') return ['The title of the logo is empty; it must name the company.']
  return []
}

function elementFaults(elements: Svg['elements']): string[] {
  const foreign = new Set<string>()
  const faults = new Set<string>()
  elements.forEach(({ name, attributes }, at) => {
    if (!allowedElements.has(name) || (name === 'svg' && at > 0)) foreign.add(name)
    for (const [attribute, value] of attributes) {
      const written = `${attribute}=${quote(value)}`
      if (/^on/i.test(attribute)) faults.add(`The logo has the event handler ${written}.`)
      const isReference = /^(?:[\w-]+:)?(?:href|src|base)$/i.test(attribute)
      const isExternal = isReference
        ? !value.trim().startsWith('#')
        : /url\((?!\s*(?:["']\s*)?#)|@import/i.test(value)
      if (isExternal) faults.add(`The logo refers to something outside of it: ${written}.`)
    }
  })
  return [
    ...[...foreign]
      .slice(0, maxEach)
      .map((name) => `The logo has an element ${quote(name)}, which the profile does not have.`),
    ...[...faults].slice(0, maxEach),
  ]
}

const maxEach = 5
/**
 * The elements of SVG Tiny 1.2, without scripts, animations, links, pictures, sound and elements that load other files.
 */
const allowedElements = new Set(
  (
    'svg title desc metadata g defs use switch path rect circle ellipse line polyline polygon linearGradient ' +
    'radialGradient stop solidColor text tspan textArea tbreak font font-face font-face-src glyph missing-glyph hkern'
  ).split(' '),
)
