import type { TagColor } from '../../../src/inbox/types.ts'

/** The colours that a tag may have, each legible in both themes: `--tag-<name>` in `tokens.css`. */
export const tagColors = [
  'gray',
  'red',
  'amber',
  'green',
  'teal',
  'blue',
  'violet',
  'pink',
] as const satisfies readonly TagColor[]

/** The colour of a tag for which none was chosen: it follows from the name, without regard to case. Gray is left out. */
export function colorOfName(tag: string): TagColor {
  let hash = 0
  for (const letter of tag.toLowerCase()) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return tagColors[1 + (hash % (tagColors.length - 1))] ?? 'gray'
}
