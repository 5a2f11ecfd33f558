/** A piece of source text that has a colour of its own. */
export interface CodeToken {
  start: number
  end: number
  kind: 'tag' | 'value' | 'comment' | 'placeholder'
}

/** Whether the browser colours ranges of a text; without it, texts are plain. */
export const canHighlight = 'highlights' in CSS

/** A part of a text node. */
export function rangeOf(node: Text, start: number, end: number): StaticRange {
  return new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end })
}

/** Colours the tokens of a text under the names `<prefix>-<kind>`, which style sheets refer to. */
export function colour(prefix: string, node: Text, tokens: readonly CodeToken[]): void {
  for (const kind of kinds) {
    const ranges = tokens.filter((token) => token.kind === kind).slice(0, mostRanges)
    const highlight = new Highlight(...ranges.map(({ start, end }) => rangeOf(node, start, end)))
    // A token inside of a tag takes precedence over the tag.
    highlight.priority = kinds.indexOf(kind)
    CSS.highlights.set(`${prefix}-${kind}`, highlight)
  }
}

/** Ends what {@link colour} did. */
export function uncolour(prefix: string): void {
  for (const kind of kinds) CSS.highlights.delete(`${prefix}-${kind}`)
}

const kinds = ['tag', 'value', 'comment', 'placeholder'] as const
/** More colours than this make scrolling slow. */
const mostRanges = 8000
