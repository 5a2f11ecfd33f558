import type { SheetDeclaration } from './style-rules.ts'

/** A colour without transparency: red, green and blue from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** The style of a text, from style sheets, inline styles and attributes. */
export interface TextStyle {
  /** Null if it is not known. */
  color: Rgb | null
  /** Null if it is not known, as on an image. */
  background: Rgb | null
  /** In CSS pixels; null if it is not known. */
  fontSize: number | null
  isBold: boolean
  /** Whether it is hidden, such as the preview text before the content. */
  isHidden: boolean
}

/** The default style of browsers. */
export const initialStyle: TextStyle = {
  color: [0, 0, 0],
  background: [255, 255, 255],
  fontSize: 16,
  isBold: false,
  isHidden: false,
}

/** The attributes of an element that change the style of its text. */
interface StyleAttributes {
  style?: string
  color?: string
  bgcolor?: string
  background?: string
  text?: string
}

/**
 * The style of an element's text, from its inline style and attributes, style sheets and the style of its parent.
 *
 * @param sheet  The declarations of style sheets that apply, the strongest last.
 */
export function styleWithin(
  parent: TextStyle,
  name: string,
  attributes: StyleAttributes,
  sheet: readonly SheetDeclaration[] = [],
): TextStyle {
  const { style, color, bgcolor, background, text } = attributes
  let result = /^(?:h[1-6]|b|strong|th)$/.test(name) ? { ...parent, isBold: true } : parent
  // Clients choose the sizes and colours of headings and links.
  if (/^h[1-6]$/.test(name)) result = { ...result, fontSize: null }
  if (name === 'a') result = { ...result, color: null }
  const fontColor = name === 'font' ? color : name === 'body' ? text : undefined
  if (fontColor !== undefined) result = { ...result, color: parseColor(fontColor) }
  if (bgcolor !== undefined) result = { ...result, background: parseColor(bgcolor) }
  if (background !== undefined) result = { ...result, background: null }
  for (const declaration of sheet)
    if (!declaration.isImportant) result = withSheet(result, declaration, parent)
  result = withInline(result, style ?? '', parent)
  for (const declaration of sheet)
    if (declaration.isImportant) result = withSheet(result, declaration, parent)
  return result
}

/** If it is unknown whether a rule applies, the values that it would change are unknown. */
function withSheet(
  style: TextStyle,
  { property, value, isUncertain }: SheetDeclaration,
  parent: TextStyle,
): TextStyle {
  const changed = withDeclaration(style, property, value, parent)
  if (!isUncertain || changed === style) return changed
  return {
    color: changed.color === style.color ? style.color : null,
    background: changed.background === style.background ? style.background : null,
    fontSize: changed.fontSize === style.fontSize ? style.fontSize : null,
    isBold: style.isBold,
    isHidden: style.isHidden || changed.isHidden,
  }
}

function withInline(before: TextStyle, style: string, parent: TextStyle): TextStyle {
  if (style === '') return before
  let result = before
  for (const declaration of style.split(';', 200)) {
    const colon = declaration.indexOf(':')
    const value = declaration
      .slice(colon + 1)
      .replace(/!\s*important\s*$/i, '')
      .trim()
      .toLowerCase()
    if (colon > 0)
      result = withDeclaration(result, declaration.slice(0, colon).trim().toLowerCase(), value, parent)
  }
  return result
}

function withDeclaration(style: TextStyle, property: string, value: string, parent: TextStyle): TextStyle {
  switch (property) {
    case 'color':
      return { ...style, color: value === 'inherit' ? parent.color : parseColor(value) }
    case 'background-color':
      return value === 'transparent' || value === 'inherit'
        ? style
        : { ...style, background: parseColor(value) }
    case 'background':
      // A shorthand with an image or a gradient hides the colour.
      return /^(?:transparent|none|inherit)$/.test(value)
        ? style
        : { ...style, background: parseColor(value) }
    case 'background-image':
      return value === 'none' ? style : { ...style, background: null }
    case 'font-size':
      return { ...style, fontSize: parseLength(value, parent.fontSize) }
    case 'font':
      return {
        ...style,
        fontSize: parseLength(
          /(?:^|\s)(\d[\w.%]*)/.exec(value.replace(/(?:^|\s)[1-9]00(?=\s)/, ''))?.[1] ?? '',
          parent.fontSize,
        ),
        isBold: /(?:^|\s)(?:bold|bolder|[7-9]00)\s/.test(value),
      }
    case 'font-weight':
      return { ...style, isBold: /^(?:bold|bolder|[7-9]00)$/.test(value) }
    case 'display':
      return value === 'none' ? { ...style, isHidden: true } : style
    case 'visibility':
      return value === 'hidden' ? { ...style, isHidden: true } : style
    case 'mso-hide':
      return value === 'all' ? { ...style, isHidden: true } : style
    case 'opacity':
    case 'max-height':
      return /^0(?:px)?$/.test(value) ? { ...style, isHidden: true } : style
    default:
      return style
  }
}

/** @returns CSS pixels; null for keywords and other units. */
function parseLength(value: string, parent: number | null): number | null {
  const [, number = '', unit = ''] = /^(\d{0,5}(?:\.\d{1,5})?)(px|pt|em|rem|%)?$/.exec(value) ?? []
  if (number === '') return null
  const size = Number(number)
  if (unit === 'pt') return (size * 4) / 3
  if (unit === 'rem') return size * 16
  if (unit === 'em') return parent && size * parent
  if (unit === '%') return parent && (size * parent) / 100
  return unit === 'px' || size === 0 ? size : null
}

/** Reads a colour of CSS or of an HTML attribute; null for one that is unknown or transparent. */
export function parseColor(written: string): Rgb | null {
  const value = written.trim().toLowerCase()
  const hex = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(value)?.[1] ?? names[value]
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
const names: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null) as object, {
  aqua: '00ffff',
  black: '000000',
  blue: '0000ff',
  brown: 'a52a2a',
  coral: 'ff7f50',
  crimson: 'dc143c',
  cyan: '00ffff',
  darkblue: '00008b',
  darkgray: 'a9a9a9',
  darkgreen: '006400',
  darkgrey: 'a9a9a9',
  darkred: '8b0000',
  dimgray: '696969',
  dimgrey: '696969',
  fuchsia: 'ff00ff',
  gold: 'ffd700',
  gray: '808080',
  green: '008000',
  grey: '808080',
  ivory: 'fffff0',
  lightblue: 'add8e6',
  lightgray: 'd3d3d3',
  lightgrey: 'd3d3d3',
  lime: '00ff00',
  magenta: 'ff00ff',
  maroon: '800000',
  navy: '000080',
  olive: '808000',
  orange: 'ffa500',
  pink: 'ffc0cb',
  purple: '800080',
  red: 'ff0000',
  silver: 'c0c0c0',
  teal: '008080',
  tomato: 'ff6347',
  white: 'ffffff',
  whitesmoke: 'f5f5f5',
  yellow: 'ffff00',
})
