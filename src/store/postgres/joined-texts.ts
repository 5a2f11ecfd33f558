/**
 * Joins texts for a column. The same texts give the same string, and a text is one of them exactly if {@link oneText}
 * of it is part of that.
 */
export function joinTexts(texts: readonly string[]): string {
  return texts.length === 0 ? '' : texts.map((text) => mark + escapeText(text)).join('') + mark
}

/** A part of a joined string that exists if a text is one of its texts. */
export function oneText(text: string): string {
  return mark + escapeText(text) + mark
}

/** A part of a joined string that exists if one of its texts begins with a text. */
export function textBeginning(text: string): string {
  return mark + escapeText(text)
}

export function splitTexts(joined: string): string[] {
  return joined === '' ? [] : joined.slice(1, -1).split(mark).map(unescapeText)
}

const mark = '\x1f'

// What a column cannot hold, what separates texts, and what escapes. Surrogates in pairs too: that needs no second pattern.
function escapeText(text: string): string {
  return text.replace(
    /[\\\0\x1f\ud800-\udfff]/g,
    (unit) => `\\${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function unescapeText(text: string): string {
  return text.replace(/\\([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
