import { validationError } from '../core/errors.ts'
import type { EmailRecord } from '../emails/email.ts'
import { maxTags } from '../emails/tags.ts'
import type { BulkChanges } from './types.ts'

/** Makes the new record of a stored mail; the same object leaves it as it is. */
export type Edit = (email: EmailRecord) => EmailRecord

/** What a change of several mails does to each of them. */
export function editOf(changes: BulkChanges): Edit {
  const { unread, tags, add_tags = [], remove_tags = [] } = changes
  // As tags are listed and searched: without regard to case.
  const removedNames = new Set(remove_tags.map(nameOf))
  return (email) => {
    const kept = (tags ?? email.tags).filter((tag) => !removedNames.has(nameOf(tag)))
    const keptNames = new Set(kept.map(nameOf))
    const next = {
      ...email,
      unread: unread ?? email.unread,
      tags: [...new Set([...kept, ...add_tags.filter((tag) => !keptNames.has(nameOf(tag)))])],
    }
    const isSame = next.unread === email.unread && sameTags(next.tags, email.tags)
    return isSame ? email : next
  }
}

const nameOf = (tag: string): string => tag.toLowerCase()

const sameTags = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((tag, i) => tag === b[i])

/** Keeps a change of many mails from giving one of them too many tags. */
export interface TagLimit {
  /** Looks at a mail, and leaves it as it is. */
  readonly check: Edit
  /** Changes a mail, unless it would have too many tags: then it stays as it is. */
  readonly edit: Edit
  /**
   * @param state  A sentence that says what was changed.
   * @throws validation_error if a mail that was looked at or left would have too many tags.
   */
  assertNone(total: number, state: string): void
}

export function createTagLimit(change: Edit): TagLimit {
  const over = new Set<string>()
  const edit: Edit = (email) => {
    const next = change(email)
    if (next.tags.length <= maxTags) return next
    over.add(email.id)
    return email
  }
  return {
    edit,
    check(email) {
      edit(email)
      return email
    },
    assertNone(total, state) {
      if (over.size === 0) return
      const more = over.size > namedIds ? ` and ${over.size - namedIds} more` : ''
      const named = `${[...over].slice(0, namedIds).join(', ')}${more}`
      const message = `would give ${over.size} of ${total} mails more than ${maxTags} tags: ${named}. ${state} Remove tags of these mails, or select the others`
      throw validationError([{ field: 'add_tags', message }])
    },
  }
}

const namedIds = 10
