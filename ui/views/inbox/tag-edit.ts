import type { TagColor } from '../../../src/inbox/types.ts'
import type { InboxList } from '../../composables/inbox.ts'
import type { Actions } from './actions.ts'
import { replacePart, tagPart } from './query-filters.ts'

/** A change of a tag. */
interface TagEdit {
  /** The new name, or the one that it has. */
  name: string
  /** Of the new name; null for the one that follows from it, absent if it stays. */
  color?: TagColor | null
}

/** Changes the name and the colour of a tag, and the search of the list where it names the tag. */
export async function editTag(
  inbox: InboxList,
  actions: Pick<Actions, 'colorTag' | 'renameTag'>,
  from: string,
  { name: to, color }: TagEdit,
): Promise<void> {
  // First, so that no mail shows the new name in another colour.
  if (color !== undefined && !(await actions.colorTag(to, color))) return
  if (to === from) return
  const { value: query } = inbox.query
  const isWhole = await actions.renameTag(from, to)
  // Otherwise a list of the old name would be empty.
  if (isWhole && inbox.query.value === query)
    inbox.query.value = replacePart(query, tagPart(from), tagPart(to))
}

/** Why a tag cannot have this name; `""` if it can, or while none is typed. */
export function nameProblem(name: string): string {
  return /[\x00-\x1f\x7f,]/.test(name) ? 'A tag cannot contain commas or control characters.' : ''
}
