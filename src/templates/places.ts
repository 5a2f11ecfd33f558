import { createLineAt } from '../core/line-at.ts'

/** A place in a template; both numbers begin at 1. */
export interface TemplatePlace {
  readonly line: number
  readonly column: number
}

/** How deep the blocks and expressions of a template may be nested; what is deeper would overflow the stack. */
export const maxNesting = 100

/** @returns A function that returns the place of an offset into the text. The lines are found at its first call. */
export function createPlaceIn(text: string): (offset: number) => TemplatePlace {
  let lineAt: ((offset: number) => number) | null = null
  return (offset) => {
    lineAt ??= createLineAt(text)
    return { line: lineAt(offset), column: offset - text.lastIndexOf('\n', offset - 1) }
  }
}
