import type { TagColor } from '../../../src/inbox/types.ts'

/** A change of a tag. */
export interface TagEdit {
  /** The new name, or the one that it has. */
  name: string
  /** Of the new name; null for the one that follows from it, absent if it stays. */
  color?: TagColor | null
}

/** Why a tag cannot have this name; `""` if it can, or while none is typed. */
export function nameProblem(name: string): string {
  return /[\x00-\x1f\x7f,]/.test(name) ? 'A tag cannot contain commas or control characters.' : ''
}
