import type { Ids } from '../core/ids.ts'
import { parseInput } from '../core/validate.ts'
import { emailCollection } from '../emails/email.ts'
import { untilCommitted } from '../store/repository.ts'
import { insert, remove, update } from '../store/store.ts'
import type { Change, Collection, Store, StoredRecord } from '../store/store.ts'
import { tagChangesSchema } from './schema.ts'
import { checkTag } from './check-changes.ts'
import type { TagChanges, TagColor, TagCount } from './types.ts'

/** The colour that a person chose for a tag. */
export interface TagColorRecord extends StoredRecord {
  /** In lower case. */
  tag: string
  color: TagColor
}

export const tagColorCollection: Collection<TagColorRecord> = {
  name: 'tag_colors',
  indexes: { tag: { on: ['tag'], unique: true } },
}

/** The tags of all mails, and their colours. */
export interface Tags {
  list(): Promise<TagCount[]>
  /** @throws validation_error */
  update(tag: string, changes: TagChanges): Promise<TagCount>
}

export function createTags({ store, ids }: { store: Store; ids: Ids }): Tags {
  const count = (): Promise<Map<string, number>> => store.tally(emailCollection, 'tag')

  async function setColor(tag: string, color: TagColor | null): Promise<void> {
    // If another colour of the same tag is set at the same time, this one reads the record again.
    await untilCommitted(async () => {
      const existing = await store.find(tagColorCollection, 'tag', [tag])
      if (existing?.color === color) return
      if (existing)
        await store.commit([color ? update(tagColorCollection, { ...existing, color }) : forget(existing)])
      else if (color) {
        const record = { id: ids.next('tc'), tag, color }
        await store.commit([insert(tagColorCollection, record), ...(await surplus())])
      }
    })
  }

  /** The changes that remove the oldest colours to make room for one more. */
  async function surplus(): Promise<Change[]> {
    const excess = (await store.count(tagColorCollection)) + 1 - maxColors
    return excess > 0 ? (await store.page(tagColorCollection, { limit: excess })).records.map(forget) : []
  }

  return {
    async list() {
      const [counts, { records }] = await Promise.all([
        count(),
        // Concurrent calls may have set more than `maxColors`.
        store.page(tagColorCollection, { index: 'tag', limit: 2 * maxColors }),
      ])
      const used = [...counts]
        .sort(([a, times], [b, otherTimes]) => otherTimes - times || (a < b ? -1 : 1))
        .slice(0, maxListedTags)
        .map(([tag]) => tag)
      const colors = new Map(records.map(({ tag, color }) => [tag, color]))
      return [...new Set([...used, ...colors.keys()])].map((tag) =>
        toView(tag, counts.get(tag), colors.get(tag)),
      )
    },
    async update(given, changes) {
      checkTag(given)
      const { color } = parseInput(tagChangesSchema, changes)
      const tag = given.toLowerCase()
      await setColor(tag, color)
      return toView(tag, (await count()).get(tag), color)
    },
  }
}

/** How many tags are listed, besides those with a chosen colour. */
const maxListedTags = 1000
/** How many set colours are kept. Concurrent calls may exceed this for a moment. */
const maxColors = 1000

const forget = ({ id, version }: TagColorRecord): Change => remove(tagColorCollection, id, version)

function toView(tag: string, count = 0, color: TagColor | null = null): TagCount {
  return { tag, count, ...(color && { color }) }
}
