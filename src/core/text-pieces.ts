/** The pieces of a long text, none of which ends within a surrogate pair. */
export function* textPieces(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = start + length
    const last = text.charCodeAt(end - 1)
    if (last >= 0xd800 && last <= 0xdbff) end++
    yield text.slice(start, end)
    start = end
  }
}
