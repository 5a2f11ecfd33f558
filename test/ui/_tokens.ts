import { readFileSync } from 'node:fs'

const tokens = readFileSync(new URL('../../ui/styles/tokens.css', import.meta.url), 'utf8')

export const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]
/** Red, green and blue from 0 to 255. */
export type Color = readonly [number, number, number]

/**
 * A colour of the page.
 *
 * @param ground  What it lies on: a translucent colour is mixed with it.
 * @throws Error where tokens.css has no such colour, or a translucent one and there is no ground.
 */
export function tokenOf(name: string, theme: Theme, ground?: Color): Color {
  const color = String.raw`(#[0-9a-f]{6}|rgb\([^)]+\))`
  const [, light = '', dark = ''] =
    new RegExp(String.raw`--${name}: light-dark\(${color}, ${color}\)`).exec(tokens) ?? []
  const value = theme === 'light' ? light : dark
  if (value.startsWith('#'))
    return [1, 3, 5].map((at) => Number.parseInt(value.slice(at, at + 2), 16)) as never
  const [r, g, b, percent] = (value.match(/\d+/g) ?? []).map(Number)
  if (r === undefined || g === undefined || b === undefined || percent === undefined || !ground)
    throw new Error(`tokens.css has no colour ${name} that can be used here.`)
  return [r, g, b].map((part, at) => ground[at]! + ((part - ground[at]!) * percent) / 100) as never
}

/** As WCAG 2.2 defines it. */
export function contrast(a: Color, b: Color): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: Color): number {
  const [r = 0, g = 0, b = 0] = color.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
