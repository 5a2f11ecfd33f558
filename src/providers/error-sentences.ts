import type { FieldError, LocalpostError } from '../core/errors.ts'

/**
 * An error in one text: a sentence for each of its first ten members, or its message.
 *
 * @param inWords  The sentence for one member, as the provider writes it.
 * @param form.rest  What follows if there are more than ten.
 */
export function sentencesOf(
  { errors, message }: Pick<LocalpostError, 'errors' | 'message'>,
  inWords: (error: FieldError) => string,
  { separator = ' ', rest = (count: number) => ` And ${count} more.` } = {},
): string {
  if (!errors || errors.length === 0) return message
  const all = errors.slice(0, maxNamed).map(inWords).join(separator)
  return errors.length > maxNamed ? all + rest(errors.length - maxNamed) : all
}

const maxNamed = 10
