import colors from './colors.json' with { type: 'json' }

/** A colour without transparency: red, green and blue from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** Reads a colour of CSS or of an HTML attribute; null for one that is unknown or transparent. */
export function parseColor(written: string): Rgb | null {
  const value = written.trim().toLowerCase()
  const hex = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(value)?.[1] ?? hexByName.get(value)
  if (hex !== undefined) {
    const digits = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex
    const number = Number.parseInt(digits, 16)
    return [number >> 16, (number >> 8) & 255, number & 255]
  }
  const parts =
    /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*(1(?:\.0+)?|100%)\s*)?\)$/.exec(value)
  if (!parts) return null
  const [red = 0, green = 0, blue = 0] = parts.slice(1, 4).map((part) => Math.min(255, Number(part)))
  return [red, green, blue]
}

/** The contrast of two colours, from 1 to 21. @see WCAG 2.2, relative luminance and contrast ratio */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const value = part / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The colour names that mails use. */
const hexByName: ReadonlyMap<string, string> = new Map(Object.entries(colors))
