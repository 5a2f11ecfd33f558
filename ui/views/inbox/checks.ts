import type { Tone } from '../../composables/words.ts'

/** What `GET /dev/inbox/{id}/checks` answers. */
export interface Checks {
  checks: Check[]
}

/** One thing that was looked at in a mail. */
export interface Check {
  name: string
  verdict: 'pass' | 'warning' | 'fail' | 'info'
  /** In a sentence. */
  message: string
  /** Where and what, for a person who wants to fix it. */
  details: string[]
}

/** The verdicts in the order in which a person wants to see them, with their colours and words. */
export const verdicts = [
  { verdict: 'fail', tone: 'bad', words: 'To fix' },
  { verdict: 'warning', tone: 'warn', words: 'To look at' },
  { verdict: 'pass', tone: 'good', words: 'Fine' },
  { verdict: 'info', tone: 'info', words: 'Good to know' },
] as const satisfies { verdict: Check['verdict']; tone: Tone; words: string }[]

/** The name of a check as people say it: `html-size` is `HTML size`. */
export function nameOf(name: string): string {
  const words = name
    .replaceAll(/[-_]/g, ' ')
    .replaceAll(/\b(?:dkim|spf|dmarc|html|css|url)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}
