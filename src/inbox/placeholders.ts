import { assertArguments } from '../core/known-options.ts'
import { unpaced } from '../core/yield.ts'
import type { Mail } from './types.ts'

/**
 * The placeholders that a mail still shows to its reader, because no variable answered them: in subject, text or HTML,
 * as they are written there, each once, in order of appearance. Those are `{{ name }}`, and what other engines leave:
 * `{% if %}`, `<%= name %>`, `%recipient.name%`, `*|NAME|*`, `${name}`; and `[object Object]`.
 *
 * @returns At most 100; 1 MB of each part is looked at.
 */
export function unrenderedPlaceholders(mail: Pick<Mail, 'subject' | 'text' | 'html'>): string[] {
  assertArguments(arguments, 1, 'unrenderedPlaceholders()')
  return unpaced(placeholderSteps(mail))
}

/** {@link unrenderedPlaceholders} in steps, so that the event loop may turn between them. */
export function* placeholderSteps({
  subject,
  text,
  html,
}: Pick<Mail, 'subject' | 'text' | 'html'>): Generator<undefined, string[]> {
  const found = new Set<string>()
  for (const part of [subject, text, html]) {
    for (const [written] of part.slice(0, lookAt).matchAll(placeholder)) {
      if (found.size >= maxFound) return [...found]
      found.add(written)
      yield
    }
    yield
  }
  return [...found]
}

const lookAt = 1_000_000
const maxFound = 100

// Wider than what is rendered: a name with a wrong character is a placeholder too, which is never filled in. Bounded, so
// that a mail full of opening braces costs one look each.
const placeholder = new RegExp(
  [
    '\\{\\{[^{}\\n<>]{1,100}\\}\\}',
    '\\{%[^{}\\n<>]{1,100}%\\}',
    '(?:<|&lt;)%[^<>\\n]{1,100}%(?:>|&gt;)',
    '%recipient\\.[\\w.-]{1,60}%',
    '\\*\\|[\\w:. -]{1,60}\\|\\*',
    '\\$\\{[A-Za-z_][\\w.]{0,60}\\}',
    '\\[object Object\\]',
  ].join('|'),
  'g',
)
