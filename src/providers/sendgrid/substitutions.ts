import { escaped } from '../../core/text.ts'
import type { ContentBudget } from '../content-budget.ts'

/**
 * Replaces texts by others in one pass, so that a value is never searched again. Where two of them begin at one place, the
 * longer one counts.
 *
 * @param substitutions  What replaces each text: null counts as empty.
 * @param budget  The result is taken from it. @throws message_too_large before the result is larger.
 */
export function substitute(
  text: string,
  substitutions: Readonly<Record<string, string | null>>,
  budget: ContentBudget,
): string {
  const values = new Map(Object.entries(substitutions))
  const names = [...values.keys()].sort((one, other) => other.length - one.length)
  if (names.length === 0) return text
  budget.take(text.length)
  return text.replace(new RegExp(names.map(escaped).join('|'), 'g'), (name) => {
    const value = values.get(name) ?? ''
    budget.take(value.length - name.length)
    return value
  })
}
