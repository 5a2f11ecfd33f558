import { type LocalpostError, validationError } from '../core/errors.ts'
import type { EmailRecord } from '../emails/email.ts'
import { maxTags } from '../emails/tags.ts'

type Edit = (email: EmailRecord) => EmailRecord

/** Keeps a change of many mails from giving one of them too many tags. */
export interface TagLimit {
  /** Looks at a mail, and leaves it as it is. */
  readonly check: Edit
  /** Changes a mail, unless it would have too many tags: then it stays as it is. */
  readonly edit: Edit
  /**
   * @param total  The number of selected mails.
   * @param state  A sentence that says what was changed.
   * @throws validation_error if a mail that was looked at or left would have too many tags.
   */
  assertNone(total: number, state: string): void
}

export function createTagLimit(edit: Edit): TagLimit {
  const over = new Set<string>()
  const limited: Edit = (email) => {
    const next = edit(email)
    if (next.tags.length <= maxTags) return next
    over.add(email.id)
    return email
  }
  return {
    check(email) {
      limited(email)
      return email
    },
    edit: limited,
    assertNone(total, state) {
      if (over.size > 0) throw tooManyTags([...over], total, state)
    },
  }
}

function tooManyTags(ids: readonly string[], total: number, state: string): LocalpostError {
  const more = ids.length > namedIds ? ` and ${ids.length - namedIds} more` : ''
  const named = `${ids.slice(0, namedIds).join(', ')}${more}`
  const message = `would give ${ids.length} of ${total} mails more than ${maxTags} tags: ${named}. ${state} Remove tags of these mails, or select the others`
  return validationError([{ field: 'add_tags', message }])
}

const namedIds = 10
