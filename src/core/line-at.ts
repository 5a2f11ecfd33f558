import { firstWhere } from './first-where.ts'

/** @returns A function that returns the line of an offset into the text. The first line is 1. */
export function createLineAt(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => firstWhere(starts.length, (at) => (starts[at] ?? 0) > offset)
}
