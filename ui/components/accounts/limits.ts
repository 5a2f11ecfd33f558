import type { AccountChanges } from '../../../src/accounts/types.ts'

/** The limits of an account as a form has them. */
export interface LimitDraft {
  ttl_ms: number | null
  /** A field of numbers gives `''` while it is empty. */
  max_emails: number | ''
  max_age_ms: number | null
}

/** The limits of an account as the server has them. */
type Limits = { readonly [name in keyof LimitDraft]: number | null }

export const noLimits: LimitDraft = { ttl_ms: null, max_emails: '', max_age_ms: null }

export function toLimitDraft({ ttl_ms, max_emails, max_age_ms }: Limits): LimitDraft {
  return { ttl_ms, max_emails: max_emails ?? '', max_age_ms }
}

/** The members that differ from those of the account, as the server takes them. */
export function changedLimits(draft: LimitDraft, from: Limits): AccountChanges {
  const { ttl_ms, max_age_ms } = draft
  const max_emails = draft.max_emails === '' ? null : draft.max_emails
  return {
    ...(ttl_ms !== from.ttl_ms && { ttl_ms }),
    ...(max_emails !== from.max_emails && { max_emails }),
    ...(max_age_ms !== from.max_age_ms && { max_age_ms }),
  }
}

const hour = 60 * 60 * 1000
const day = 24 * hour

/** Times to choose from, and the one that is set. */
export function timesWith(set: number | null): { ms: number; words: string }[] {
  const times = [hour, day, 7 * day, 30 * day, 90 * day]
  if (set !== null && !times.includes(set)) times.push(set)
  return times.sort((a, b) => a - b).map((ms) => ({ ms, words: spanWords(ms) }))
}

/** A time in the largest unit that it is a whole number of: `90 minutes`. */
function spanWords(ms: number): string {
  const units = { day, hour, minute: 60_000, second: 1000, millisecond: 1 }
  const [unit, size] = Object.entries(units).find(([, one]) => ms % one === 0) ?? ['millisecond', 1]
  const count = ms / size
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`
}
