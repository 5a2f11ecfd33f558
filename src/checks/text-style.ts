import type { TagAttributes } from '../mime/html/scan-html.ts'
import { parseColor, type Rgb } from './colors.ts'

/** The style of a text, from style sheets, inline styles and attributes. */
export interface TextStyle {
  /** Null if it is not known. */
  color: Rgb | null
  /** Null if it is not known, as on an image. */
  background: Rgb | null
  /** In CSS pixels; null if it is not known. */
  fontSize: number | null
  isBold: boolean
  /** What hides it, as senders hide the preview text: properties of its element, or `parent`. */
  hiddenBy: readonly string[]
}

/** A declaration of a style sheet or an inline style that applies to an element. */
export interface StyleDeclaration {
  property: string
  value: string
  isImportant: boolean
  /** Whether the selector is not evaluated here, so that it is unknown whether it applies. */
  isUncertain: boolean
}

/** The default style of browsers. */
export const initialStyle: TextStyle = {
  color: [0, 0, 0],
  background: [255, 255, 255],
  fontSize: 16,
  isBold: false,
  hiddenBy: [],
}

/**
 * The style of an element's text, from its inline style and attributes, style sheets and the style of its parent.
 *
 * @param sheet  The declarations of style sheets that apply, the strongest last.
 */
export function styleWithin(
  parent: TextStyle,
  name: string,
  attributes: TagAttributes,
  sheet: readonly StyleDeclaration[] = [],
): TextStyle {
  const { style, color, bgcolor, background, text } = attributes
  let result = parent.hiddenBy.length > 0 ? { ...parent, hiddenBy: ['parent'] } : parent
  if (/^(?:h[1-6]|b|strong|th)$/.test(name)) result = { ...result, isBold: true }
  // Clients choose the sizes and colours of headings and links.
  if (/^h[1-6]$/.test(name)) result = { ...result, fontSize: null }
  if (name === 'a') result = { ...result, color: null }
  const fontColor = name === 'font' ? color : name === 'body' ? text : undefined
  if (fontColor !== undefined) result = { ...result, color: parseColor(fontColor) }
  if (bgcolor !== undefined) result = { ...result, background: parseColor(bgcolor) }
  if (background !== undefined) result = { ...result, background: null }
  const declarations = style === undefined ? sheet : [...sheet, ...inlineDeclarations(style)]
  for (const isImportant of [false, true])
    for (const declaration of declarations)
      if (declaration.isImportant === isImportant) result = withDeclaration(result, declaration, parent)
  return result
}

/** If it is unknown whether a rule applies, the values that it would change are unknown. */
function withDeclaration(
  style: TextStyle,
  { property, value, isUncertain }: StyleDeclaration,
  parent: TextStyle,
): TextStyle {
  const changed = properties.get(property)?.(style, value, parent, property) ?? style
  if (!isUncertain || changed === style) return changed
  return {
    color: changed.color === style.color ? style.color : null,
    background: changed.background === style.background ? style.background : null,
    fontSize: changed.fontSize === style.fontSize ? style.fontSize : null,
    isBold: style.isBold,
    hiddenBy: changed.hiddenBy.length > style.hiddenBy.length ? changed.hiddenBy : style.hiddenBy,
  }
}

function inlineDeclarations(css: string): StyleDeclaration[] {
  return css.split(';', 200).map((declaration) => {
    const colon = declaration.indexOf(':')
    const written = declaration.slice(colon + 1)
    const value = written.replace(/!\s*important\s*$/i, '')
    return {
      property: declaration.slice(0, Math.max(colon, 0)).trim().toLowerCase(),
      value: value.trim().toLowerCase(),
      isImportant: value.length < written.length,
      isUncertain: false,
    }
  })
}

/** Whether a property changes the colours or the size of a text, or hides it. */
export function isStyleProperty(property: string): boolean {
  return properties.has(property)
}

type Change = (style: TextStyle, value: string, parent: TextStyle, property: string) => TextStyle

/**
 * The change by a property that hides or shows an element.
 *
 * @param shows  Whether a value shows it; undefined for a value that is not known, which changes nothing.
 */
const hiding =
  (shows: (value: string) => boolean | undefined): Change =>
  (style, value, _, property) => {
    const isShown = shows(value)
    if (isShown === undefined) return style
    const others = style.hiddenBy.filter((one) => one !== property)
    return { ...style, hiddenBy: isShown ? others : [...others, property] }
  }

/** @param showing  The values that show an element, with white space between. */
const hidingBy = (hidden: string, showing: string): Change => {
  const known = new Map([...showing.split(/\s+/).map((value) => [value, true] as const), [hidden, false]])
  return hiding((value) => known.get(value))
}

/** Whether a number or a length is above zero; undefined for other values. */
function isAboveZero(value: string): boolean | undefined {
  const [, number] = /^\+?(\d+(?:\.\d+)?|\.\d+)(?:%|[a-z]{1,4})?$/.exec(value) ?? []
  return number === undefined ? undefined : Number(number) > 0
}

// By these, `display`, `opacity` and `max-height` get their initial values, and `visibility` that of a parent whose
// text is shown.
const defaults = 'inherit initial unset revert'
const isDefault = (value: string): boolean => defaults.split(' ').includes(value)

const displays = `block inline inline-block flow-root contents list-item flex inline-flex grid inline-grid
  -webkit-box -webkit-inline-box table inline-table table-caption table-column table-column-group
  table-header-group table-row-group table-footer-group table-row table-cell`

const changes: Readonly<Record<string, Change>> = {
  color: (style, value, { color }) => ({ ...style, color: value === 'inherit' ? color : parseColor(value) }),
  'background-color': (style, value) =>
    value === 'transparent' || value === 'inherit' ? style : { ...style, background: parseColor(value) },
  // A shorthand with an image or a gradient hides the colour.
  background: (style, value) =>
    /^(?:transparent|none|inherit)$/.test(value) ? style : { ...style, background: parseColor(value) },
  'background-image': (style, value) => (value === 'none' ? style : { ...style, background: null }),
  'font-size': (style, value, parent) => ({ ...style, fontSize: parseLength(value, parent.fontSize) }),
  font(style, value, parent) {
    const size = /(?:^|\s)(\d[\w.%]*)/.exec(value.replace(/(?:^|\s)[1-9]00(?=\s)/, ''))?.[1] ?? ''
    const isBold = /(?:^|\s)(?:bold|bolder|[7-9]00)\s/.test(value)
    return { ...style, fontSize: parseLength(size, parent.fontSize), isBold }
  },
  'font-weight': (style, value) => ({ ...style, isBold: /^(?:bold|bolder|[7-9]00)$/.test(value) }),
  display: hidingBy('none', `${defaults} ${displays}`),
  visibility: hidingBy('hidden', `${defaults} visible`),
  'mso-hide': hidingBy('all', 'none'),
  opacity: hiding((value) => isDefault(value) || isAboveZero(value)),
  'max-height': hiding((value) => value === 'none' || isDefault(value) || isAboveZero(value)),
}
/** The properties that are read, with what each changes. */
const properties: ReadonlyMap<string, Change> = new Map(Object.entries(changes))

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
